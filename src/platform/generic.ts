import { HttpError } from "../http/http_error.ts";
import { canonicalAddress } from "../http/ip_address.ts";
import { TwoGenerations } from "../http/two_generations.ts";
import type { Peer } from "../request/peer.ts";
import type { Platform } from "./platform.ts";

/** Any runtime with a Fetch API that is not known better: edge platforms, service workers, plain `app.fetch` calls. */
export const genericPlatform: Platform = {
  name: "this runtime",
  callableApps: true,
  endsWithAnswer: true,
  files: null,
  header: (request, name) => request.headers.get(name),
  // on Deno, an iterator sorts the headers anew for each of them
  visitHeaders: (request, visitor) => request.headers.forEach(visitor),
  peerOf: unknownPeer,
  env: (name) => processVariables()[name],
  colours: () => false,
  environment: processVariables,
  waitUntil,
  nodeBytes,
  nodeHeadersKey,
  nextTurn,
  loadPackage: requirePackage,
  serve() {
    throw new TypeError(
      'app.listen needs a runtime that can listen: on Node import "@sluice/sluice/node" first, elsewhere hand ' +
        "app.fetch to the platform",
    );
  },
  upgrade() {
    throw noWebSockets(`Sluice has no WebSockets on ${this.name}; serve the application on Deno, Bun, Node or Workers`);
  },
};

/**
 * The error of an upgrade that cannot be: its message is shown to the client, for whoever runs the server cannot be
 * told at a better moment.
 *
 * @param message What is missing, and what to do
 */
export function noWebSockets(message: string): HttpError {
  return new HttpError(501, message, { expose: true });
}

/**
 * Environment variables as an object that reads each when it is asked for, as `process.env` does.
 *
 * @param read Reads one
 */
export function variables(read: (name: string) => string | undefined): Record<string, unknown> {
  return new Proxy({}, { get: (_, name) => typeof name === "string" ? read(name) : undefined });
}

/**
 * Hands a promise to whatever the platform passed that can wait for it: the context of Workers and of edge functions.
 *
 * @param promise What is to be waited for
 * @param info The platform's second argument
 * @param context The platform's third argument
 */
export function waitUntil(promise: Promise<unknown>, info: unknown, context: unknown): void {
  [context, info].find(canWait)?.waitUntil(promise);
}

function canWait(given: unknown): given is Waiting {
  try {
    return typeof (given as Waiting | null | undefined)?.waitUntil === "function";
  } catch {
    // whatever it is, it is no context
    return false;
  }
}

// edge platforms have none of Node but its variables
function processVariables(): Readonly<Record<string, string | undefined>> {
  return (globalThis as { process?: ProcessLike }).process?.env ?? {};
}

/** What can wait for background work. */
interface Waiting {
  waitUntil(promise: Promise<unknown>): void;
}

/** Node's module loader, as far as it is used. */
interface ModuleLoader {
  createRequire(from: string): ((name: string) => unknown) & { resolve(name: string): string };
}

/** Node's process, as far as it is used. */
interface ProcessLike {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  getBuiltinModule?(name: "node:module"): ModuleLoader | undefined;
  getBuiltinModule?(name: "node:http"): { OutgoingMessage: new () => object } | undefined;
  getBuiltinModule?(name: "node:fs"): { realpathSync(path: string): string } | undefined;
}

/**
 * Finds a package of the program's: in the `node_modules` above its first file, wherever it was started, and then in
 * those above the working directory, as for a program that is piped in.
 *
 * @param name Name of the package
 * @returns Path of its first file, `undefined` if there is no loader or no such package
 */
export function findPackage(name: string): string | undefined {
  const { process } = globalThis as { process?: ProcessLike };
  const loader = process?.getBuiltinModule?.("node:module");
  if (process === undefined || loader === undefined) return undefined;
  // a command that npm has installed is a link to the program
  const program = (): string => process.getBuiltinModule!("node:fs")!.realpathSync(process.argv![1]!);
  for (const from of [program, () => `${process.cwd()}/package.json`]) {
    try {
      const path = loader.createRequire(from()).resolve(name);
      // a module of Node's own has no path
      return path === name ? undefined : path;
    } catch {
      // there is no such file, or it may not be read; or no such package
    }
  }
  return undefined;
}

/**
 * Loads a package of the program's, where the runtime can.
 *
 * @param name Name of the package
 * @returns The package, `undefined` if there is none
 */
// deno-lint-ignore require-await -- what loading throws is a rejection
export async function requirePackage(name: string): Promise<unknown> {
  const path = findPackage(name);
  if (path === undefined) return undefined;
  const { process } = globalThis as { process?: ProcessLike };
  return process!.getBuiltinModule!("node:module")!.createRequire(path)(path);
}

// it is on each of Node's responses, and nowhere by a name
function nodeHeadersKey(): symbol | undefined {
  const { process } = globalThis as { process?: ProcessLike };
  const http = process?.getBuiltinModule?.("node:http");
  if (http === undefined) return undefined;
  return Object.getOwnPropertySymbols(new http.OutgoingMessage()).find((key) => key.description === "kOutHeaders");
}

/** The global `Buffer`, as far as it is used. */
interface BufferLike {
  from(buffer: ArrayBuffer, offset: number, length: number): Uint8Array;
}

/**
 * Bytes as a `Buffer` over the same memory, where there is one.
 *
 * @param bytes The bytes
 */
export function nodeBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: BufferLike };
  return Buffer === undefined ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// looked up late, for Deno takes its time to make it
function nextTurn(run: () => void): void {
  const immediately = Reflect.get(globalThis, "setImmediate") ?? queueMicrotask;
  immediately(run);
}

/** IPv6 addresses whose one spelling is remembered, so that they are not parsed for every request. */
const spellings = new TwoGenerations<string>(4096);

// a socket that takes both families shows IPv4 clients as mapped addresses; an IPv4 address has one spelling
function canonical(address: string): string {
  if (!address.includes(":")) return address;
  const known = spellings.get(address);
  if (known !== undefined) return known;
  const spelling = canonicalAddress(address) ?? address;
  spellings.set(address, spelling);
  return spelling;
}

/** What platforms tell about the peer: Deno's `remoteAddr`, Bun's `requestIP`, and `ip` of Netlify's context. */
interface PeerTold {
  remoteAddr?: { hostname?: unknown; port?: unknown };
  requestIP?: unknown;
  ip?: unknown;
}

/** As Bun's server says it. */
type RequestIP = (this: unknown, request: Request) => { address?: unknown; port?: unknown } | null;

/**
 * Says that the peer is unknown, unless the platform's argument has a shape that is known to tell it.
 *
 * @param info The platform's argument
 * @param request The request
 */
export function unknownPeer(info: unknown, request: Request): Peer {
  try {
    const { remoteAddr = askedPeer(info, request), ip } = (info ?? {}) as PeerTold;
    const { hostname = ip, port } = remoteAddr ?? {};
    if (typeof hostname !== "string") return { address: undefined };
    return { address: canonical(hostname), port: typeof port === "number" ? port : undefined };
  } catch {
    // Deno tells it no more once the answer has gone; a handler that asks so late must not end the process
    return { address: undefined };
  }
}

// a program that was written for Bun, or a test, may hand such a server on anywhere
function askedPeer(info: unknown, request: Request): PeerTold["remoteAddr"] {
  const { requestIP } = (info ?? {}) as PeerTold;
  if (typeof requestIP !== "function") return undefined;
  const { address, port } = (requestIP as RequestIP).call(info, request) ?? {};
  return { hostname: address, port };
}

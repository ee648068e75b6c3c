import { HttpError } from "../../http/http_error.ts";
import type { InflatedCoding, Inflater, NodeHttp } from "../../exchange/runtime_support.ts";
import { builtinInflater, type BuiltinZlib } from "./builtin_inflater.ts";
import { builtinModule, nodeProcess } from "./builtin_module.ts";
import { nodeBytes } from "./node_bytes.ts";
import { builtinEntityTag } from "./builtin_entity_tag.ts";
import { requirePackage } from "./installed_package.ts";
import { peerOf } from "./peer_of.ts";
import { returnedBody } from "./web_body.ts";
import type { Platform } from "./platform.ts";
import { bindingsOf } from "./bindings.ts";

/** Any other runtime with a Fetch API: edge platforms, service workers, plain calls to `app.fetch`. */
export function genericPlatform(): Platform {
  return {
    name: "this runtime",
    callableApps: true,
    endsWithResponse: true,
    files: null,
    separator: () => nodeProcess()?.platform === "win32" ? undefined : "/",
    header: (request, name) => request.headers.get(name),
    // not an iterator: on Deno that sorts all headers again for each one
    visitHeaders: (request, visitor) => request.headers.forEach(visitor),
    peerOf,
    returnedBody,
    env: (name) => processVariables()[name],
    defaultEnv: () => isOnNode() ? "development" : "production",
    colours: () => false,
    environment: (...given) => bindingsOf(...given) ?? processVariables(),
    waitUntil,
    nodeBytes,
    nodeHttp,
    nextTurn,
    nextPoll: () => new Promise<void>(nextTurn),
    heapBytes,
    inflater,
    entityTag: builtinEntityTag(builtinModule, 0),
    loadPackage: requirePackage,
    listenLimits: "all",
    serve() {
      throw new TypeError(
        'app.listen needs a runtime that can listen: on Node import "@sluice/sluice/node" first, elsewhere pass ' +
          "app.fetch to the platform",
      );
    },
    upgrade() {
      throw noWebSockets(
        `Sluice has no WebSockets on ${this.name}; serve the application on Deno, Bun, Node or Workers`,
      );
    },
  };
}

/**
 * The error for an impossible upgrade. The client gets its message, because the developer cannot be informed earlier.
 *
 * @param message What is missing, and what to do
 */
export function noWebSockets(message: string): HttpError {
  return new HttpError(501, message, { expose: true });
}

/** Whether output goes to a terminal with colors, on runtimes with Node's `process`. */
export function terminalColours(): boolean {
  return nodeProcess()?.stdout?.isTTY === true && !processVariables()["NO_COLOR"];
}

/**
 * Environment variables as an object that reads them on access, like `process.env`. They cannot be listed.
 *
 * @param read Reads one variable
 */
export function variables(read: (name: string) => string | undefined): Record<string, unknown> {
  const get = (_: object, name: string | symbol): string | undefined =>
    typeof name === "string" ? read(name) : undefined;
  return new Proxy({}, { get, has: (target, name) => get(target, name) !== undefined });
}

/**
 * Passes a promise to the platform's `waitUntil`, from the context of Workers and edge functions.
 *
 * @param promise The promise to wait for
 * @param info The platform's second argument
 * @param context The platform's third argument
 */
export function waitUntil(promise: Promise<unknown>, info: unknown, context: unknown): void {
  [context, info].find((given) => hasMethod<Waiting>(given, "waitUntil"))?.waitUntil(promise);
}

/**
 * Returns whether a platform argument has a given type, judging by one of its methods. An object whose properties throw
 * does not have it.
 *
 * @typeParam T The type
 * @param given The argument
 * @param name Name of the method
 */
export function hasMethod<T>(given: unknown, name: keyof T): given is T {
  try {
    return typeof (given as T | null | undefined)?.[name] === "function";
  } catch {
    return false;
  }
}

// some edge platforms have process.env but nothing else from Node
function processVariables(): Readonly<Record<string, string | undefined>> {
  return nodeProcess()?.env ?? {};
}

// without the entry for Node
function isOnNode(): boolean {
  return nodeProcess()?.versions?.["node"] !== undefined;
}

/** An object that can wait for background work. */
interface Waiting {
  waitUntil(promise: Promise<unknown>): void;
}

function inflater(coding: InflatedCoding): Inflater | undefined {
  const zlib = builtinModule<BuiltinZlib>("node:zlib");
  return zlib && builtinInflater(zlib, coding);
}

function nodeHttp(): NodeHttp | undefined {
  return builtinModule("node:http");
}

// read on each call, because Deno creates setImmediate lazily, which takes time
function nextTurn(run: () => void): void {
  const immediately = Reflect.get(globalThis, "setImmediate") ?? queueMicrotask;
  immediately(run);
}

// called on the object, because methods on Bun's process need it
function heapBytes(): number | undefined {
  return nodeProcess()?.memoryUsage?.().heapUsed;
}

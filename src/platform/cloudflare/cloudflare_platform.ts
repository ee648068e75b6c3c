import { weakEntityTag } from "../../http/entity_tag.ts";
import type { FileStat, FileSystem } from "../../exchange/file_system.ts";
import { improperHost, isHost } from "../../http/host.ts";
import { type BuiltinFiles, builtinFiles } from "../shared/builtin_files.ts";
import { builtinModule, nodeProcess } from "../shared/builtin_module.ts";
import { type ServerSocket, WorkerSocket } from "./cloudflare_socket.ts";
import { genericPlatform } from "../shared/generic_platform.ts";
import type { Platform, Upgrade, UpgradeOptions } from "../shared/platform.ts";

/** The part of `node:fs` used here on Workers. */
interface WorkerFiles extends BuiltinFiles {
  readFileSync(path: string): Uint8Array;
  readFileSync(path: string, encoding: "utf8"): string;
}

/** Folder for the modules deployed with a Worker. */
const BUNDLE = "/bundle/";

/** The client's end of a pair; it becomes part of the response. */
type ClientSocket = object;

let files: FileSystem | null | undefined = undefined;

/**
 * Cloudflare Workers: the platform reports the client's address in a header, and an exported application must not be a
 * function. Files and environment variables need the `nodejs_compat` flag.
 */
export function cloudflarePlatform(): Platform {
  return {
    ...genericPlatform(),
    name: "Workers",
    // Workers treat a function exported as the default as a Durable Object class
    callableApps: false,
    dropsBodies: true,
    get files() {
      return files === undefined ? files = workerFiles() : files;
    },
    defaultEnv: () => "production",
    environment: (bindings) => (bindings ?? {}) as Record<string, unknown>,
    peerOf: (_info, request) => ({ address: request.headers.get("cf-connecting-ip") ?? undefined }),
    refuse,
    // a Worker requests a WebSocket from a Durable Object or another Worker with this header alone
    bareUpgrades: true,
    serve() {
      throw new TypeError("app.listen: Workers do not listen; write export default app instead");
    },
    upgrade,
    sized,
  };
}

// Cloudflare rejects invalid hosts before they reach a Worker; workerd builds URLs from them, which hides the problem
function refuse({ headers, method }: Request): Response | undefined {
  const host = headers.get("host");
  return host && !isHost(host) ? improperHost(method === "HEAD") : undefined;
}

// for other streams Workers drop the Content-Length header
function sized(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  const { FixedLengthStream } = globalThis as unknown as {
    FixedLengthStream: new (length: number) => ReadableWritablePair<Uint8Array, Uint8Array>;
  };
  return body.pipeThrough(new FixedLengthStream(length));
}

function upgrade(_request: Request, _info: unknown, options: UpgradeOptions): Upgrade {
  const inObject = objectUpgrade(options.context);
  if (inObject !== undefined) return inObject(options);
  const { client, server } = socketPair();
  const socket = new WorkerSocket(server);
  socket.accept();
  queueMicrotask(() => void socket.opened());
  return { socket: socket as unknown as WebSocket, response: upgradeResponse(client, options) };
}

/** A new connection's two ends. */
export function socketPair(): { client: ClientSocket; server: ServerSocket } {
  const { WebSocketPair } = globalThis as unknown as { WebSocketPair: new () => [ClientSocket, ServerSocket] };
  const { 0: client, 1: server } = new WebSocketPair();
  return { client, server };
}

/** The response that turns a request into a WebSocket. */
export function upgradeResponse(client: ClientSocket, { protocol, headers = new Headers() }: UpgradeOptions): Response {
  if (protocol !== undefined) headers.set("sec-websocket-protocol", protocol);
  // workerd reads the client's end from a property that no other runtime supports
  const init: ResponseInit & { webSocket: ClientSocket } = { status: 101, headers, webSocket: client };
  return new Response(null, init);
}

// the text and data modules deployed with it; null without node:fs, which needs the nodejs_compat flag
function workerFiles(): FileSystem | null {
  const process = nodeProcess();
  const fs = builtinModule<WorkerFiles>("node:fs");
  if (process === undefined || fs === undefined) return null;
  const files = builtinFiles(() => fs, () => process.cwd());
  const tags = new Map<string, string>();
  // deployed files have no date: without a tag from its content, a new file of the same size would seem unchanged
  const tagged = (path: string, stat: FileStat): FileStat => {
    if (!stat.isFile || stat.mtimeMs !== 0 || !path.startsWith(BUNDLE)) return stat;
    const tag = tags.get(path) ?? weakEntityTag(fs.readFileSync(path));
    tags.set(path, tag);
    return { ...stat, tag };
  };
  return { ...files, stat: async (path) => tagged(path, await files.stat(path)) };
}

/** Accepts a Durable Object's WebSockets; the object may hibernate while they are open. */
export type ObjectUpgrade = (options: UpgradeOptions) => Upgrade;

const upgrades = new WeakMap<object, ObjectUpgrade>();

/**
 * Sets how a Durable Object accepts WebSockets.
 *
 * @param state The object's state, also the third argument to its application's `fetch`
 * @param upgrade Accepts a WebSocket
 */
export function acceptInObject(state: object, upgrade: ObjectUpgrade): void {
  upgrades.set(state, upgrade);
}

/** How to accept a WebSocket in a Durable Object, according to the platform's third argument. */
function objectUpgrade(context: unknown): ObjectUpgrade | undefined {
  return typeof context === "object" && context !== null ? upgrades.get(context) : undefined;
}

import type { FileSystem } from "../http/file_system.ts";
import { workerFiles, workerProcess } from "./cloudflare_files.ts";
import { objectUpgrade } from "./cloudflare_objects.ts";
import { type ServerSocket, WorkerSocket } from "./cloudflare_socket.ts";
import { genericPlatform } from "./generic.ts";
import type { Platform, Upgrade, UpgradeOptions } from "./platform.ts";

/** The client's end of a pair; it goes into the answer. */
type ClientSocket = object;

let files: FileSystem | null | undefined = undefined;

/**
 * Cloudflare Workers: the platform names the client in a header of its own and takes no function for an app. Files and
 * environment variables are there with the flag `nodejs_compat`.
 */
export const cloudflarePlatform: Platform = {
  ...genericPlatform,
  name: "Workers",
  // a function exported as the default is taken for a Durable Object class
  callableApps: false,
  get files() {
    return files === undefined ? files = workerFiles() : files;
  },
  env: (name) => workerProcess()?.env?.[name],
  environment: (bindings) => (bindings ?? {}) as Record<string, unknown>,
  peerOf: (_info, request) => ({ address: request.headers.get("cf-connecting-ip") ?? undefined }),
  upgrade,
};

function upgrade(_request: Request, _info: unknown, options: UpgradeOptions): Upgrade {
  const inObject = objectUpgrade(options.context);
  if (inObject !== undefined) return inObject(options);
  const { client, server } = socketPair();
  const socket = new WorkerSocket(server);
  socket.accept();
  queueMicrotask(() => void socket.opened());
  return { socket: socket as unknown as WebSocket, response: upgradeResponse(client, options) };
}

/** The two ends of a new connection. */
export function socketPair(): { client: ClientSocket; server: ServerSocket } {
  const { WebSocketPair } = globalThis as unknown as { WebSocketPair: new () => [ClientSocket, ServerSocket] };
  const { 0: client, 1: server } = new WebSocketPair();
  return { client, server };
}

/** The answer that makes a WebSocket of a request. */
export function upgradeResponse(client: ClientSocket, { protocol, headers = new Headers() }: UpgradeOptions): Response {
  if (protocol !== undefined) headers.set("sec-websocket-protocol", protocol);
  // workerd takes the client's end in a property that no other runtime knows
  const init: ResponseInit & { webSocket: ClientSocket } = { status: 101, headers, webSocket: client };
  return new Response(null, init);
}

import { type BuiltinFiles, builtinFiles } from "./builtin_files.ts";
import { BunSocket, bunSocketHandlers } from "./bun_socket.ts";
import { genericPlatform, noWebSockets } from "./generic.ts";
import type {
  FetchHandler,
  ListenOptions,
  Platform,
  PlatformServer,
  ServerLimits,
  Upgrade,
  UpgradeOptions,
} from "./platform.ts";
import { Unanswered } from "./unanswered.ts";

/** Bun's server, as far as it is used. */
interface BunServer {
  readonly port: number;
  readonly hostname: string;
  requestIP(request: Request): { address: string; port: number } | null;
  upgrade(request: Request, options: { headers: Headers; data: BunSocket }): boolean;
  stop(closeConnections?: boolean): Promise<void>;
  ref(): void;
  unref(): void;
}

/** The global `Bun`, and what it shares with Node, as far as it is used. */
interface BunGlobals {
  Bun: { serve(options: Record<string, unknown>): BunServer };
  process: {
    cwd(): string;
    env: Record<string, string | undefined>;
    stdout: { isTTY?: boolean };
    getBuiltinModule(name: "node:fs"): BuiltinFiles;
  };
}

const globals = globalThis as unknown as BunGlobals;

const serverLimits: ServerLimits = {
  // ten seconds by default, after which a quiet stream of events would be cut
  idleTimeout: 0,
  // 128 MiB by default; how much is read is up to the body parsers, as on the other runtimes
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
};

/** Bun: `Bun.serve`, its WebSockets, and the files of its `node:fs`. */
export const bunPlatform: Platform = {
  ...genericPlatform,
  name: "Bun",
  endsWithAnswer: false,
  socketHandlers: bunSocketHandlers,
  serverLimits,
  typesBytes: true,
  files: {
    ...builtinFiles(() => globals.process.getBuiltinModule("node:fs"), () => globals.process.cwd()),
    // Bun tells the length of what it gets as a whole only, and players and progress bars want it
    wholeBytes: 1024 * 1024,
  },
  // those that nobody has touched by then are empty
  keepHeaders: (request) => void request.headers,
  env: (name) => globals.process.env[name],
  environment: () => globals.process.env,
  colours: () => globals.process.stdout.isTTY === true && !globals.process.env["NO_COLOR"],
  serve,
  // Bun says of it only that it was not upgraded
  hasLeft: ({ signal }) => Promise.resolve(signal.aborted),
  upgrade,
};

function isServer(info: unknown): info is BunServer {
  try {
    return typeof (info as Partial<BunServer> | null | undefined)?.requestIP === "function";
  } catch {
    // whatever it is, it is no server
    return false;
  }
}

function serve(handler: FetchHandler, options: ListenOptions): PlatformServer {
  const { port = 3000, hostname = "0.0.0.0", cert, key, reusePort = false } = options;
  const unanswered = new Unanswered();
  const server = globals.Bun.serve({
    port,
    hostname,
    reusePort,
    ...(cert !== undefined && key !== undefined ? { tls: { cert, key } } : {}),
    ...serverLimits,
    development: false,
    fetch: unanswered.watch(handler),
    websocket: bunSocketHandlers,
  });
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  return {
    port: server.port,
    hostname: server.hostname,
    finished,
    shutdown: () => server.stop().then(resolve),
    abort() {
      unanswered.abort();
      // the 503s leave first
      setTimeout(() => void server.stop(true), 0);
    },
    ref: () => server.ref(),
    unref: () => server.unref(),
  };
}

function upgrade(request: Request, info: unknown, options: UpgradeOptions): Upgrade {
  if (!isServer(info)) {
    throw noWebSockets("WebSockets on Bun need its server as the second argument: app.fetch(request, server)");
  }
  const { protocol = "", headers = new Headers(), pingTimeoutMs } = options;
  // left out, Bun would choose the first one offered; an empty one it does not send
  headers.set("sec-websocket-protocol", protocol);
  const socket = new BunSocket(pingTimeoutMs);
  if (!upgraded(info, request, { headers, data: socket })) {
    throw noWebSockets("Bun did not take this as a handshake; it upgrades only requests as its server delivers them");
  }
  // Bun has answered already and looks at this no more
  return { socket: socket as unknown as WebSocket, response: new Response(null, { status: 101 }) };
}

// Bun throws where its server was given no handlers for sockets
function upgraded(server: BunServer, ...args: Parameters<BunServer["upgrade"]>): boolean {
  try {
    return server.upgrade(...args);
  } catch (error) {
    const message = "WebSockets on Bun need Bun.serve({ fetch: app.fetch, websocket: app.websocket })";
    throw Object.assign(noWebSockets(message), { cause: error });
  }
}

import type { Peer } from "../../exchange/peer.ts";
import { type BuiltinFiles, builtinFiles } from "../shared/builtin_files.ts";
import { returnedBody } from "./bun_body.ts";
import { passedOn } from "./bun_stream.ts";
import { builtinModule, nodeProcess } from "../shared/builtin_module.ts";
import { bunSeconds, IdleTimeout } from "./idle_timeout.ts";
import { BunSocket, bunSocketHandlers } from "./bun_socket.ts";
import { genericPlatform, hasMethod, noWebSockets, terminalColours } from "../shared/generic_platform.ts";
import { type DiagnosticsChannel, handlerChannel } from "../shared/handler_channel.ts";
import { listeningAt } from "../shared/listening_at.ts";
import type {
  AppFetch,
  ListenOptions,
  Platform,
  PlatformServer,
  Routed,
  ServerLimits,
  Upgrade,
  UpgradeOptions,
} from "../shared/platform.ts";
import { SEND_TIMEOUT_MS, SlowClients } from "../shared/slow_clients.ts";
import { PendingRequests } from "../../exchange/pending_requests.ts";
import { upgradedResponse } from "../shared/upgraded_response.ts";
import { openStreamsKey } from "../../exchange/app_like.ts";

/** The part of Bun's server used here. */
interface BunServer {
  readonly port: number;
  readonly hostname: string;
  /** Listening address; for a Unix socket, its path. */
  readonly address: Peer | string;
  requestIP(request: Request): { address: string; port: number } | null;
  upgrade(request: Request, options: { headers: Headers; data: BunSocket }): boolean;
  timeout(request: Request, seconds: number): void;
  stop(closeConnections?: boolean): Promise<void>;
  ref(): void;
  unref(): void;
}

/** The part of the global `Bun` used here. */
declare const Bun: { serve(options: Record<string, unknown>): BunServer };

const serverLimits: ServerLimits = {
  // Bun's default is ten seconds, after which it would cut a quiet event stream
  idleTimeout: 0,
  // Bun's default is 128 MiB; body parsers limit reading, as on other runtimes
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
};

/** Bun: `Bun.serve`, its WebSockets, and files through its `node:fs`. */
export function bunPlatform(): Platform {
  return {
    ...genericPlatform(),
    name: "Bun",
    endsWithResponse: false,
    keepsConnections: true,
    socketHandlers: bunSocketHandlers,
    serverLimits,
    returnedBody,
    passedOn,
    typesBytes: true,
    keepsCoding: true,
    files: {
      ...builtinFiles(() => builtinModule<BuiltinFiles>("node:fs")!, () => nodeProcess()!.cwd()),
      // Bun sends a Content-Length only for bodies given as a whole, and players and progress bars need it
      wholeBytes: 1024 * 1024,
    },
    // after the response, headers that were never read are empty
    keepHeaders: (request) => void request.headers,
    forgetsPeer: true,
    dropsBodies: true,
    localOf,
    handlerChannel: () => handlerChannel(builtinModule<DiagnosticsChannel>("node:diagnostics_channel")),
    closesAfterResponse: (request) => /^close$/i.test(request.headers.get("connection") ?? ""),
    awaits: (_request, info) => hasMethod<BunServer>(info, "requestIP"),
    defaultEnv: () => "development",
    colours: terminalColours,
    allowSilence: (request, info) => silences.get(info as object)?.allow(request),
    endSilence: (request, info, isBroken) => silences.get(info as object)?.end(request, isBroken),
    listenLimits: ["keepAliveTimeout", "sendTimeout"],
    serve,
    // a failed upgrade only returns false, without the reason
    hasDisconnected: ({ signal }) => Promise.resolve(signal.aborted),
    upgrade,
  };
}

function localOf(info: unknown): Peer | undefined {
  const address = hasMethod<BunServer>(info, "requestIP") ? info.address : undefined;
  return typeof address === "object" ? address : undefined;
}

/**
 * Default `keepAliveTimeout` in ms. It differs from Node's, because it also limits how long a client may read nothing.
 */
const KEEP_ALIVE_MS = 60_000;

/** Each server's idle timeout. */
const silences = new WeakMap<object, IdleTimeout>();

function serve(handler: AppFetch, options: ListenOptions, app: Routed): PlatformServer {
  const { port = 0, hostname = "0.0.0.0", cert, key, reusePort = false } = options;
  const { keepAliveTimeout = KEEP_ALIVE_MS, sendTimeout = SEND_TIMEOUT_MS } = options;
  const pending = new PendingRequests();
  const watched = pending.watch(handler);
  const served = {
    port,
    hostname,
    reusePort,
    ...(cert !== undefined && key !== undefined ? { tls: { cert, key } } : {}),
    ...serverLimits,
    idleTimeout: bunSeconds(keepAliveTimeout),
    development: false,
    fetch(request: Request, server: BunServer) {
      const response = watched(request, server);
      silence.passed(request);
      return response;
    },
    websocket: app.websocket,
    error(error: unknown) {
      app.reportError(error, { phase: "server" });
      return new Response("Internal Server Error", { status: 500 });
    },
  };
  const server = listeningAt(hostname, port, () => Bun.serve(served));
  const silence = new IdleTimeout(server, keepAliveTimeout);
  silences.set(server, silence);
  const isOwn = (info: unknown): boolean => info === server;
  const slow = new SlowClients(app[openStreamsKey], isOwn, (timer) => (timer as { unref?(): void }).unref?.());
  slow.sendTimeout = sendTimeout;
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  return {
    limits: {
      get keepAliveTimeout() {
        return silence.keepAliveMs;
      },
      set keepAliveTimeout(ms) {
        silence.keepAliveMs = ms;
      },
      get sendTimeout() {
        return slow.sendTimeout;
      },
      set sendTimeout(ms) {
        slow.sendTimeout = ms;
      },
    },
    port: server.port,
    hostname: server.hostname,
    finished,
    shutdown: () =>
      server.stop().then(() => {
        slow.stop();
        resolve();
      }),
    abort() {
      app[openStreamsKey].cut(isOwn);
      // Bun aborts no signals in this case
      for (const { signal } of pending.abort()) signal.dispatchEvent(new Event("abort"));
      // after the 503s have been sent
      setTimeout(() => void server.stop(true), 0);
    },
    ref: () => server.ref(),
    unref: () => server.unref(),
  };
}

function upgrade(request: Request, info: unknown, options: UpgradeOptions): Upgrade {
  if (!hasMethod<BunServer>(info, "requestIP")) {
    throw noWebSockets("WebSockets on Bun need its server as the second argument: app.fetch(request, server)");
  }
  const { protocol = "", headers = new Headers(), pingTimeoutMs } = options;
  // always set: otherwise Bun would pick the first one offered; an empty one is not sent
  headers.set("sec-websocket-protocol", protocol);
  const socket = new BunSocket(pingTimeoutMs);
  if (!upgraded(info, request, { headers, data: socket })) {
    throw noWebSockets(
      "Bun upgrades only requests that its server delivers; mount applications with app.use, not app.mount",
    );
  }
  // Bun has already responded, and ignores this response
  return { socket: socket as unknown as WebSocket, response: upgradedResponse() };
}

// Bun throws if its server has no WebSocket handlers
function upgraded(server: BunServer, ...args: Parameters<BunServer["upgrade"]>): boolean {
  try {
    return server.upgrade(...args);
  } catch (error) {
    const message = "WebSockets on Bun need Bun.serve({ fetch: app.fetch, websocket: app.websocket })";
    throw Object.assign(noWebSockets(message), { cause: error });
  }
}

import type { FileStat, FileSystem, OpenFile, WholeFile } from "../../exchange/file_system.ts";
import { isExpected } from "../../util/expected_errors.ts";
import { responseClass } from "../../exchange/response_class.ts";
import type { ClientWatch } from "../../exchange/runtime_support.ts";
import { builtinModule } from "../shared/builtin_module.ts";
import { builtinEntityTag } from "../shared/builtin_entity_tag.ts";
import { sourceText } from "../shared/source_text.ts";
import { returnedBody } from "./deno_body.ts";
import {
  arrivedText,
  hasUnannouncedBody,
  isServed,
  joinedHost,
  keepHeaders,
  onAbort,
  readHeader,
  trustRecordsOf,
  visitHeaders,
} from "./request_record.ts";
import { factsOf, isEncrypted, localOf, noteServer } from "./server_facts.ts";
import { genericPlatform, noWebSockets, variables } from "../shared/generic_platform.ts";
import { type DiagnosticsChannel, handlerChannel } from "../shared/handler_channel.ts";
import { listeningAt } from "../shared/listening_at.ts";
import type {
  AppFetch,
  ListenOptions,
  Platform,
  PlatformServer,
  Routed,
  Upgrade,
  UpgradeOptions,
} from "../shared/platform.ts";
import { SEND_TIMEOUT_MS, SlowClients } from "../shared/slow_clients.ts";
import { type Bind, LastingServer } from "./lasting_server.ts";
import { closeUnopened } from "./close_unopened.ts";
import { guardSlowClient } from "./slow_client_guard.ts";
import { PendingRequests } from "../../exchange/pending_requests.ts";
import { untilQuiet } from "../shared/until_quiet.ts";
import { openStreamsKey } from "../../exchange/app_like.ts";
import { bindingsOf } from "../shared/bindings.ts";

/** Time to send the last responses before the server counts as closed, in ms. */
const LEAVING_MS = 100;

/** Time for in-flight bodies to arrive, in ms: Deno does not always report a disconnect during a body. */
const READING_MS = 30_000;

/** Interval between checks on whether in-flight bodies have been read, in ms. */
const LOOK_MS = 10;

/**
 * Number of bytes hashed in JavaScript before Node's `process` and `node:crypto` are created for hashing. Creating them
 * takes 20 ms, which is the time they save on this many bytes.
 */
const UNHURRIED_BYTES = 8 * 1024 * 1024;

/** Deno: `Deno.serve`, `Deno.upgradeWebSocket`, its file functions. */
export function denoPlatform(): Platform {
  trustRecordsOf(Deno.version.deno);
  const generic = genericPlatform();
  return {
    ...generic,
    name: "Deno",
    endsWithResponse: false,
    keepsConnections: true,
    leavesStreams: true,
    files: denoFiles(),
    separator: () => Deno.build.os === "windows" ? undefined : "/",
    env: readEnv,
    defaultEnv: () => "development",
    unread: (name) => mayRead(name) ? undefined : `--allow-env=${name}`,
    colours: () => Deno.stdout.isTerminal() && !Deno.noColor,
    environment: (...given) => bindingsOf(...given) ?? environment,
    heapBytes: () => Deno.memoryUsage().heapUsed,
    header: readHeader,
    joinedHost,
    isEncrypted,
    localOf,
    handlerChannel: () => handlerChannel(diagnosticsChannel()),
    // with OTEL_DENO=true, Deno has registered its own context manager
    fetchAppendsTrace: (manager) => manager !== undefined && Deno.telemetry?.contextManager === manager,
    visitHeaders,
    hasUnannouncedBody,
    arrivedText,
    keepHeaders,
    returnedBody,
    // its server reports the error, but not the request
    tellsOfBodies: isServed,
    watchClient,
    onAbort,
    awaits: isServed,
    // its node:zlib treats a truncated brotli body as complete
    inflater: (coding) => coding === "brotli" ? undefined : generic.inflater!(coding),
    entityTag: builtinEntityTag(builtinModule, UNHURRIED_BYTES),
    prepare,
    nextPoll,
    listenLimits: ["sendTimeout"],
    serve,
    hasDisconnected,
    upgrade,
  };
}

/** Deno's API for its own modules. Programs have no other way to see whether Node's `process` exists. */
interface Internals {
  readonly internal: symbol;
  readonly [name: symbol]: { readonly __nodeProcessBootstrapped?: unknown } | undefined;
}

// Deno creates Node's `process` on first read, which takes 16 ms. A program that subscribes has usually created it
// already, like nearly every package from npm.
function diagnosticsChannel(): DiagnosticsChannel | undefined {
  const deno = Deno as unknown as Internals;
  return deno[deno.internal]?.__nodeProcessBootstrapped ? builtinModule("node:diagnostics_channel") : undefined;
}

/** Maximum bytes of a file to read at once. */
const READ_BYTES = 64 * 1024;

/**
 * Maximum bytes of a file that Deno sends itself, at half the cost. Larger transfers must be observable and abortable.
 */
const HANDED_OVER_BYTES = 1024 * 1024;

function denoFiles(): FileSystem {
  return {
    stat: (path) => Deno.stat(path).then(fileStat),
    statSync,
    names: (folder) => Array.fromAsync(Deno.readDir(folder), ({ name }) => name),
    open: openFile,
    openWhole: (path) => Deno.open(path).then(wholeFile),
    opensWhole: (bytes) => bytes > READ_BYTES && bytes <= HANDED_OVER_BYTES,
    wholeBytes: READ_BYTES,
    readBytes: (path) => Deno.readFile(path),
    readText: (path) => Deno.readTextFile(path),
    sourceText: (path) => mayReadFile(path) ? sourceText(path, statSync, Deno.readTextFileSync) : undefined,
    workingDirectory: () => Deno.cwd(),
  };
}

function statSync(path: string): FileStat {
  return fileStat(Deno.statSync(path));
}

// an error page must not block the program with a permission prompt either
function mayReadFile(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

function fileStat(info: Deno.FileInfo): FileStat {
  const { isFile, isDirectory, size, mtime } = info;
  return { isFile, isDirectory, size, mtimeMs: mtime?.getTime() ?? 0 };
}

async function openFile(path: string, start: number): Promise<OpenFile> {
  const file = await Deno.open(path);
  // synchronous, because seeking reads nothing, and a round trip to another thread costs ten times as much
  if (start > 0) file.seekSync(start, Deno.SeekMode.Start);
  return {
    read: async (into) => await file.read(into) ?? 0,
    close: () => file.close(),
  };
}

function wholeFile(file: Deno.FsFile): WholeFile {
  let taken = false;
  return {
    stat: () => fileStat(file.statSync()),
    take() {
      taken = true;
      return file.readable;
    },
    close() {
      if (!taken) file.close();
    },
  };
}

function readEnv(name: string): string | undefined {
  return mayRead(name) ? Deno.env.get(name) : undefined;
}

// reading a variable must not block the program with a permission prompt
function mayRead(variable: string): boolean {
  return Deno.permissions.querySync({ name: "env", variable }).state === "granted";
}

const environment = variables(readEnv);

function serve(handler: AppFetch, options: ListenOptions, app: Routed): PlatformServer {
  const { port = 0, hostname = "0.0.0.0", cert, key, reusePort = false, sendTimeout = SEND_TIMEOUT_MS } = options;
  if (reusePort) assertUnstableNet();
  const onError = (error: unknown): Response => {
    // a stream fails for the server before it fails for its watchers
    setTimeout(() => isExpected(error) || app.reportError(error, { phase: "response" }), 0);
    return new Response("Internal Server Error", { status: 500 });
  };
  const common = { hostname, reusePort, onListen() {}, onError };
  const isSecure = cert !== undefined && key !== undefined;
  const tls = isSecure ? { cert, key } : {};
  const pending = new PendingRequests();
  const local = { address: hostname, port };
  const facts = { local, isSecure };
  const isOwn = (info: unknown): boolean => factsOf(info) === facts;
  const watched = pending.watch(noteServer(handler, facts));
  const bind: Bind = (signal, bound = port, received) => {
    const receiving: AppFetch = received === undefined ? watched : (request, info) => {
      received();
      return watched(request, info);
    };
    return listeningAt(hostname, bound, () => Deno.serve({ ...common, ...tls, port: bound, signal }, receiving));
  };
  const server = new LastingServer(bind, (error) => app.reportError(error, { phase: "server" }));
  // no request can have arrived yet
  Object.assign(local, { address: server.addr.hostname, port: server.addr.port });
  const left = Promise.withResolvers<void>();
  server.finished.then(left.resolve, left.reject);
  const slow = new SlowClients(app[openStreamsKey], isOwn, Deno.unrefTimer);
  slow.sendTimeout = sendTimeout;
  left.promise.finally(() => slow.stop()).catch(() => {});
  const afterResponses = (done: () => void): void => {
    app[openStreamsKey].cut(isOwn);
    const timer = setTimeout(done, pending.abort().size > 0 ? LEAVING_MS : 0);
    server.finished.finally(() => clearTimeout(timer)).catch(() => {});
  };
  return {
    limits: slow,
    port: server.addr.port,
    hostname: server.addr.hostname,
    get listening() {
      return server.listening;
    },
    finished: left.promise,
    shutdown() {
      const shutDown = (): Promise<void> => Promise.race([server.shutdown(), left.promise]);
      return pending.mayReadBodies(app) ? bodiesRead(pending, app).then(shutDown) : shutDown();
    },
    // Deno's own abort fails once shutdown has begun: remaining connections end with their clients
    abort: () => afterResponses(left.resolve),
    cut() {
      afterResponses(() => void server.cut());
      return server.finished;
    },
    ref: () => server.ref(),
    unref: () => server.unref(),
  };
}

// After Deno's shutdown, bodies that have not arrived cannot be read (denoland/deno issue 36809).
async function bodiesRead(pending: PendingRequests, app: object): Promise<void> {
  const end = performance.now() + READING_MS;
  while (pending.mayReadBodies(app) && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    await untilQuiet(nextPoll);
  }
}

// Deno's event loop polls sockets only when it has nothing else to do, such as while another thread hashes.
function nextPoll(): Promise<unknown> {
  return crypto.subtle.digest("SHA-1", new Uint8Array(1));
}

// without the flag, Deno would exit the process; this function exists only with the flag
function assertUnstableNet(): void {
  if ((Deno as { listenDatagram?: unknown }).listenDatagram !== undefined) return;
  throw new TypeError(
    'app.listen: reusePort needs "unstable": ["net"] in deno.json, or the flag --unstable-net; ' +
      "deno serve --parallel uses all cores without it (docs/all-cores.md)",
  );
}

// Makes Deno compile its code for the first response with a header, which takes 0.4 ms.
function prepare(): void {
  new (responseClass())("").headers.set("content-type", "text/html");
}

// Deno also sends this notification for completed requests. It costs a twentieth of a response, or, without a record,
// more than the response itself. So it is used only for requests that wait a long time.
function watchClient(request: Request, watch: ClientWatch, listen: () => void): void {
  if (isServed(request)) watch.listenLater(listen);
  else listen();
}

// If the client disconnected, an upgraded socket never opens or closes, and Deno keeps the connection. If it
// disconnected before the signal was first read, the signal aborts on the next tick.
async function hasDisconnected({ signal }: Request): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  return signal.aborted;
}

function upgrade(request: Request, _info: unknown, { protocol, headers, pingTimeoutMs }: UpgradeOptions): Upgrade {
  if (!isFromServer(request)) {
    throw noWebSockets(
      "Deno upgrades only requests that Deno.serve delivers; mount applications with app.use, not app.mount",
    );
  }
  // The protocol is not passed to upgradeWebSocket, which requires the request's exact spelling. The timeout is in
  // seconds, possibly fractional: after half of it, Deno sends a ping, and after the rest, it closes.
  const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: pingTimeoutMs / 1000 });
  closeUnopened(socket);
  guardSlowClient(socket, pingTimeoutMs);
  for (const [name, value] of headers ?? []) response.headers.append(name, value);
  if (protocol !== undefined) response.headers.set("sec-websocket-protocol", protocol);
  return { socket, response };
}

// Deno upgrades any request, but a socket without a server's request never opens. A server's request has immutable
// headers; an operation that changes nothing reveals them.
function isFromServer(request: Request): boolean {
  try {
    request.headers.delete("sluice");
    return false;
  } catch {
    return true;
  }
}

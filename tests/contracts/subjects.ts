/** The ways to run the program: every way users have, on every runtime. */
import type { Subject } from "./app_contract.ts";
import { bundled, type BundledFor } from "./bundled.ts";
import type { Feature } from "./case.ts";
import { packageFlags } from "../support/node_program.ts";
import { UWS_ENV } from "../support/uws_engine.ts";
import { placeCopy } from "../support/put_file.ts";
import { buildProgram } from "./program.ts";
import { asked, type Serving, startServing } from "./serving.ts";
import { bridgeTo } from "./unix_bridge.ts";

/** A subject's requirements on the machine. */
export type Needed = "nothing" | "Node" | "runtimes";

/** A way to run the program. */
export interface SubjectKind extends Pick<Subject, "name" | "gaps" | "noticesResets"> {
  readonly needs: Needed;
  /** Starts it. */
  start(): Promise<Serving>;
}

type Gaps = Readonly<Partial<Record<Feature, string>>>;

const NO_PINGS = "Workers cannot send pings";
const NO_PAUSE = "reading cannot be paused; the connection is closed with 1013";
const NO_SOCKET = "a plain call has no connection to upgrade";

const HOST_OF_WORKERS =
  "workerd resolves the URL, and Miniflare answers 500 to hosts it cannot parse; Cloudflare refuses them in front of it";

const CODINGS_OF_WORKERS =
  "whatever the client accepts, Workers are asked for gzip and brotli, and what they send is translated in front of them";

/** Why a runtime lacks a feature; shown in the report. */
const GAPS = {
  plain: {
    websocket: NO_SOCKET,
    connection: "a plain call has no connection, and its URL has been parsed",
    host: "a plain call has no connection, and its URL has been parsed",
    length: "the server that sends the response adds the length",
  },
  deno: { pausing: NO_PAUSE },
  uws: {
    head: "the engine ends the head of a streamed response when its first piece is sent",
    octets: "the engine drops bytes outside of ASCII at the beginning and the end of a header",
    closeCodes: "the engine ignores a client's codes of 1012 to 3999 and reports 1006",
    pausing: NO_PAUSE,
  },
  bun: { head: "Bun ends the head of a streamed response when its first piece is sent" },
  unix: { peer: "a Unix socket has no addresses; with `trust proxy` 1, `req.ip` is the address the proxy names" },
  worker: {
    topics: "connections cannot reach each other; those of a Durable Object can",
    ping: NO_PINGS,
    host: HOST_OF_WORKERS,
    pausing: NO_PAUSE,
    compression: CODINGS_OF_WORKERS,
  },
  object: {
    ping: NO_PINGS,
    pausing: NO_PAUSE,
    host: HOST_OF_WORKERS,
    compression: CODINGS_OF_WORKERS,
    socketContext: "a connection outlives what the object had in memory: its request is `ws.data.req`",
  },
  lambda: {
    websocket: "a function URL does not upgrade connections",
    forwarded: "a function URL writes the forwarding headers itself",
    pieces: "the response is sent whole; `toStreamingHandler` streams it",
    upload: "the request arrives whole",
    abort: "Lambda does not report that a client has disconnected",
    cancel: "Lambda does not report that a client has disconnected",
  },
  edge: {
    files: "the runtime has no files",
    host: "the runtime itself decides about hosts; Vercel refuses improper ones in front of it",
    peer:
      "the runtime does not report client addresses; with `trust proxy` 1, `req.ip` is the address the platform's proxy names",
    websocket: "the runtime has no WebSocket server",
    bodiless: "the local server delivers a body for every request that may have one",
    length: "the runtime removes `Content-Length` from every response",
    compression: "the runtime cannot compress",
    unpacking: "the runtime has no `DecompressionStream`; a compressed body is 415",
    head: "the runtime sends the head of a streamed response with its first piece",
    context: "the runtime has no `AsyncLocalStorage`; that of Next.js has",
    cut: "the local server of the runtime ends a response that fails as if it were complete",
  },
} satisfies Record<string, Gaps>;

const { pieces: _, ...streaming } = GAPS.lambda;
const LAMBDA_STREAMING: Gaps = { ...streaming, length: "a streamed response is sent in chunks" };

const entry = (name: string) => `tests/contracts/entries/${name}.ts`;

function deno(name: string, file: string, ...command: string[]): SubjectKind {
  const start = async () => {
    const flags = ["-A", ...await packageFlags(`contract_${file}`)];
    return startServing(Deno.execPath(), [...command, ...flags, entry(file)]);
  };
  return { name, gaps: GAPS.deno, needs: "nothing", start };
}

function bun(name: string, file: string): SubjectKind {
  const start = async () => startServing(runtime("node_modules/.bin/bun"), [await bundled(entry(file))], { PORT: "0" });
  return { name, gaps: GAPS.bun, needs: "runtimes", start };
}

function node(name: string, file: string): SubjectKind {
  const start = async () => startServing("node", [await bundled(entry(file), "deno")]);
  return { name, gaps: {}, needs: "Node", start };
}

function uws(name: string, file: string): SubjectKind {
  const start = async () => startServing("node", [await bundled(entry(file), "deno")], UWS_ENV);
  return { name, gaps: GAPS.uws, needs: "runtimes", start };
}

/** How to start a host. */
interface HostOptions {
  /** Bundle target. */
  readonly platform?: BundledFor;
  /** Additional host arguments. */
  readonly args?: readonly string[];
}

function onNode(name: string, gaps: Gaps, host: string, file: string, options: HostOptions = {}): SubjectKind {
  const { platform = "browser", args = [] } = options;
  const start = async () => {
    const copy = runtime(host);
    await placeCopy(new URL(`hosts/${host}`, import.meta.url), copy);
    return startServing("node", [copy, await bundled(entry(file), platform), ...args]);
  };
  return { name, gaps, needs: "runtimes", start };
}

// until it writes, workerd mistakes a normal close for a client that has only finished sending
function worker(name: string, gaps: Gaps, file: string, platform: BundledFor, ...args: string[]): SubjectKind {
  return { ...onNode(name, gaps, "workerd.mjs", file, { platform, args }), noticesResets: true };
}

function onUnixSocket(name: string, gaps: Gaps, needs: Needed, command: () => Promise<string[]>): SubjectKind {
  const start = async () => {
    const folder = await Deno.makeTempDir();
    const path = `${folder}/socket`;
    const bridge = bridgeTo(path);
    const [program, ...args] = await command();
    const serving = await startServing(program!, args, { SOCKET: path, PORT: String(bridge.port) });
    const stop = async () => {
      await serving.stop();
      await bridge.close();
      await Deno.remove(folder, { recursive: true });
    };
    return { ...serving, stop };
  };
  return { name, gaps: { ...GAPS.unix, ...gaps }, needs, start };
}

/** All subjects. */
export const SUBJECTS: readonly SubjectKind[] = [
  { name: "app.fetch", gaps: GAPS.plain, needs: "nothing", start: plain },
  deno("Deno listen", "listen", "run"),
  deno("Deno.serve", "deno_serve", "run"),
  deno("deno serve", "exported", "serve", "--host", "127.0.0.1", "--port", "0"),
  bun("Bun listen", "listen"),
  bun("Bun.serve", "bun_serve"),
  bun("Bun default", "exported"),
  onUnixSocket("Deno unix", GAPS.deno, "nothing", async () => [
    Deno.execPath(),
    "run",
    "-A",
    ...await packageFlags("contract_unix"),
    entry("unix_socket"),
  ]),
  onUnixSocket(
    "Bun unix",
    GAPS.bun,
    "runtimes",
    async () => [runtime("node_modules/.bin/bun"), await bundled(entry("unix_socket"))],
  ),
  node("Node serve", "node_serve"),
  node("Node own server", "node_handler"),
  uws("uWebSockets.js", "uws_serve"),
  worker("workerd default", GAPS.worker, "exported", "workerd"),
  // as on JSR, which has one version for all runtimes
  worker("workerd fetch", GAPS.worker, "worker", "browser"),
  worker("workerd object", GAPS.object, "worker_object", "workerd", "Program"),
  onNode("Lambda", GAPS.lambda, "lambda.mjs", "lambda_buffered", { platform: "deno" }),
  onNode("Lambda streaming", LAMBDA_STREAMING, "lambda.mjs", "lambda_streaming", { platform: "deno" }),
  onNode("edge-runtime", GAPS.edge, "edge_runtime.mjs", "fetch_event"),
];

function plain(): Promise<Serving> {
  const app = buildProgram();
  const origin = "http://127.0.0.1";
  const ask = (path: string, init?: RequestInit): Promise<Response> => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    init?.signal?.addEventListener("abort", () => reject(init.signal!.reason));
    const request = new Request(origin + path, asked(init));
    app.handle(request, { remoteAddr: { hostname: "127.0.0.1", port: 1 } }).then(resolve, reject);
    return promise;
  };
  return Promise.resolve({ origin, ask, stop: () => Promise.resolve() });
}

function runtime(path: string): string {
  return `${Deno.env.get("SLUICE_RUNTIMES")}${path}`;
}

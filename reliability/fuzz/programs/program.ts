/** A small application with middleware at several levels, and what happens to a request to it. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import sluice, { Router } from "@sluice/sluice";
import { currentRequest } from "@sluice/middleware/context";
import { log } from "@sluice/middleware/log";
import { metrics } from "@sluice/middleware/metrics";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { ENDINGS, ERROR_HANDLERS } from "./endings.ts";
import { ENTRIES } from "./entries.ts";
import { sleep } from "./sleep.ts";

/** Where a middleware is: each level is inside the one before it. */
export const LEVELS = ["app", "router", "inner", "route"] as const;

/** A middleware and its level. */
export interface Mounted {
  readonly name: string;
  readonly level: typeof LEVELS[number];
}

/** An application, and a request to it. */
export interface Program {
  /** The middleware, in order. */
  readonly middleware: readonly Mounted[];
  /** A name in `ENDINGS`. */
  readonly ending: string;
  /** A name in `ERROR_HANDLERS`, and the level behind which it is. */
  readonly errors: Mounted | null;
  readonly method: "GET" | "HEAD" | "POST";
  /** What a POST sends. */
  readonly sent: "nothing" | "form" | "files";
  /** Codings that the client accepts. */
  readonly coding: string;
  /** When the client disconnects, in ms after the request; `null` if it stays. */
  readonly leavesAfterMs: number | null;
}

/** What the client got. */
export interface Got {
  readonly status: number;
  readonly headers: Headers;
  /** The decoded body, `null` if it was cut. */
  readonly body: string | null;
}

/** What the application saw of one request. */
export class Seen {
  /** Statuses in the log, and whether the response was cut. */
  readonly lines: { readonly status: number; readonly aborted: boolean }[] = [];
  /** `finish` and `close`, in order. */
  readonly events: string[] = [];
  /** Reported errors that were not planted. */
  readonly errors: string[] = [];
  /** When there was no current request behind `context`. */
  readonly lost: ("in the handler" | "in a listener" | "after the handler")[] = [];
  /** Calls of the handler. */
  called = 0;
  /** Visits by its session, 0 without one. */
  visits = 0;
  /** A field of the form in its body. */
  field: unknown;
}

const PLANTED = /planted|^csrf: |^No response within|^Cannot (set|write) headers after|got a chunk after res.end$/;
const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};
/** How often to look whether a request is over, and how long. */
const TURN_MS = 10;
const MOST_TURNS = 40;

/** A running application. */
export class RunningProgram {
  readonly #program: Program;
  readonly #app: Any = sluice().set("env", "test");
  readonly #metrics = metrics({ openTelemetry: false });
  #seen = new Seen();
  /** Handlers that still work. */
  #working = 0;

  /**
   * @param program Its parts
   * @param faulty Middleware with a planted fault, in front of the handler
   */
  constructor(program: Program, faulty?: Any) {
    this.#program = program;
    const requests = log({ stream: (_line: string, record: Any) => void this.#log(record) });
    const again: Record<string, () => Any> = { log: () => requests, metrics: () => this.#metrics };
    const inner: Any = sluice().set("env", "test");
    for (const app of [this.#app, inner]) app.on("error", (error: Any) => this.#report(error));
    const router: Any = Router();
    const route: Any[] = [];
    const levels: Record<Mounted["level"], (made: Any) => unknown> = {
      app: (made) => this.#app.use(made),
      router: (made) => router.use(made),
      inner: (made) => inner.use(made),
      route: (made) => route.push(made),
    };
    const errors = (level: Mounted["level"]) => {
      if (program.errors?.level === level) levels[level](ERROR_HANDLERS[program.errors.name]);
    };
    this.#app.use(requests, this.#metrics, this.#watch);
    for (const { name, level } of program.middleware) levels[level]((again[name] ?? ENTRIES[name])!());
    if (faulty !== undefined) route.push(faulty);
    inner.all("/", ...route, this.#handle);
    errors("inner");
    router.use("/inner", inner);
    errors("router");
    this.#app.use("/router", router);
    errors("app");
  }

  /**
   * Sends the request, and waits until it is over.
   *
   * @param cookie The client's cookie
   */
  async ask(cookie = ""): Promise<{ readonly got: Got; readonly seen: Seen }> {
    const seen = this.#seen = new Seen();
    const { method, coding, sent, leavesAfterMs } = this.#program;
    const body = method === "POST" && sent !== "nothing" ? formOf(sent) : null;
    const headers = { "accept-encoding": coding, cookie };
    const leaving = new AbortController();
    if (leavesAfterMs !== null) void sleep(leavesAfterMs).then(() => leaving.abort());
    const { signal } = leaving;
    const response = this.#app.inject("/router/inner/", { method, headers, body, signal, redirect: "manual" });
    const got = await gotFrom(response);
    const isOver = () => this.#working === 0 && seen.lines.length > 0 && seen.events.includes("close");
    for (let turn = 0; turn < MOST_TURNS && !isOver(); turn++) await sleep(TURN_MS);
    // for what happens twice
    await sleep(TURN_MS);
    return { got, seen };
  }

  /** The samples of a metric with a value above 0, without its name. */
  samples(name: string): string[] {
    const samples = this.#metrics.metrics().split("\n").filter((line) => line.startsWith(`${name}{`));
    return samples.filter((line) => !line.endsWith(" 0")).map((line) => line.slice(name.length));
  }

  #log(record: Any): void {
    if (record.method !== undefined) this.#seen.lines.push({ status: record.status, aborted: record.aborted === true });
  }

  #report(error: Any): void {
    const message = String(error?.message ?? error);
    if (!PLANTED.test(message)) this.#seen.errors.push(message);
  }

  readonly #watch = (_req: Any, res: Any, next: Any): void => {
    const { events } = this.#seen;
    for (const event of ["finish", "close"]) res.on(event, () => events.push(event));
    next();
  };

  readonly #handle = async (req: Any, res: Any, next: Any): Promise<unknown> => {
    const seen = this.#seen;
    const { middleware, ending } = this.#program;
    const look = (where: Seen["lost"][number]) => {
      if (middleware.some(({ name }) => name === "context") && currentRequest() === undefined) seen.lost.push(where);
    };
    seen.called++;
    seen.field = req.body?.field;
    look("in the handler");
    res.on("finish", () => look("in a listener"));
    if (req.session && !res.headersSent) seen.visits = req.session.visits = (req.session.visits ?? 0) + 1;
    this.#working++;
    try {
      const result = await ENDINGS[ending]!.run(req, res, next);
      look("after the handler");
      return result instanceof Response ? result : undefined;
    } finally {
      this.#working--;
    }
  };
}

function formOf(sent: "form" | "files"): FormData | URLSearchParams {
  if (sent === "form") return new URLSearchParams({ field: "value" });
  const form = new FormData();
  form.append("field", "value");
  form.append("file", new Blob(["x".repeat(5000)]), "file.txt");
  return form;
}

async function gotFrom(responding: Promise<Response>): Promise<Got> {
  const response = await responding.catch(() => new Response(null, { status: 499 }));
  const { status, headers } = response;
  try {
    const bytes = new Uint8Array(await response.arrayBuffer());
    const decode = bytes.length === 0 ? undefined : DECODERS[headers.get("content-encoding") ?? ""];
    return { status, headers, body: new TextDecoder().decode(decode?.(bytes) ?? bytes) };
  } catch {
    return { status, headers, body: null };
  }
}

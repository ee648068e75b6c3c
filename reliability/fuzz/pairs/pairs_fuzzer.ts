/** Every two middlewares in front of every kind of response, on each runtime's real servers, and on Express. */
import { oneOf, type Pick as Chance } from "../../../tests/support/random.ts";
import { Child, commandOf, type RuntimeName } from "../../support/children.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { ANSWERS, COMMON, STATIC } from "./answers.ts";
import { ENTRIES, QUEUES, ROLES, THEIRS } from "./entries.ts";
import { type Asking, Broken, Exchanges } from "./exchange.ts";
import type { Seen } from "./program.ts";
import { type Shape, shapeOf, wrongIn } from "./shape.ts";
import { type Size, SIZES } from "./sizes.ts";

const PROGRAM = "reliability/fuzz/pairs/program.ts";
const PATIENCE_MS = 8000;
/** Additional steps in a round for each pair that holds back writes. */
const QUEUE_STEPS = 8;
/** Concurrent requests. */
const AT_ONCE = 4;
/** Maximum number of writes before a handler notices that its response has failed. */
const MOST_LATE_WRITES = 3;

/** A request to an application with two middlewares. */
export interface PairStep {
  /** The middlewares, in this order; `"none"` for no middleware. */
  readonly pair: readonly [string, string];
  /** How their stores behave. */
  readonly store: "fast" | "slow" | "failing";
  /** The kind of response. */
  readonly kind: string;
  /** Its body. */
  readonly size: Size;
  /** The request. */
  readonly sent: "GET" | "HEAD" | "JSON" | "form" | "files";
  /** Codings that the client accepts. */
  readonly coding: string;
  /** Whether the client stops reading for a while. */
  readonly isSlow: boolean;
}

const NAMES = Object.keys(ENTRIES);
const KINDS = [...Object.keys(ANSWERS), STATIC];
const CODINGS = ["identity", "gzip", "deflate", "br", "zstd"];
const STORES: readonly PairStep["store"][] = ["fast", "fast", "slow", "slow", "slow", "failing"];
const SENT: readonly PairStep["sent"][] = ["GET", "GET", "GET", "HEAD", "JSON", "form", "files"];
/** Kinds for which Sluice's response differs in form from Express's. */
const UNLIKE_EXPRESS = ["next()", "next(err)", "reject", "throw"];
/** Middleware that logs each request. */
const LOGGERS = ["log", "npm:morgan"];

/**
 * Notices that Deno prints once, as `docs/express-differences.md` documents, and one that npm's compression causes,
 * also on Express. It gives its stream the `drain` listeners that `once` adds to the response, which are then removed
 * from the response.
 */
const NOTICES = [
  /^Deno\.serve: request\.signal aborts on successful responses.*\n/gm,
  /^\(.*\) MaxListenersExceededWarning: .* drain listeners added to \[(?:Gzip|Deflate|BrotliCompress)\].*\n(?:\(Use .*\n)?/gm,
];

const BOUNDARY = "own-boundary";
const PARTS = [
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`,
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\nfile\r\n`,
  `--${BOUNDARY}--\r\n`,
];
const REQUESTS: Readonly<Record<PairStep["sent"], Pick<Asking, "method" | "body"> & { readonly type: string }>> = {
  GET: { method: "GET", type: "", body: "" },
  HEAD: { method: "HEAD", type: "", body: "" },
  JSON: { method: "POST", type: "application/json", body: '{"a":1}' },
  form: { method: "POST", type: "application/x-www-form-urlencoded", body: "a=1&b=2" },
  files: { method: "POST", type: `multipart/form-data; boundary=${BOUNDARY}`, body: PARTS.join("") },
};

/** Options for {@linkcode PairsFuzzer}. */
export interface PairsOptions {
  /** Name of a fault that the program plants. */
  readonly fault?: string;
  /** Time limit for each response in ms, 8000 by default. */
  readonly patienceMs?: number;
  /** Steps in a round; by default one for every pair, and more for pairs that hold back writes. */
  readonly steps?: number;
}

interface Server {
  readonly child: Child;
  readonly port: number;
  /** Mounted paths. */
  readonly mounted: Set<string>;
  /** Response shapes behind one middleware or none. */
  readonly known: Map<string, Promise<Shape | Wrong>>;
}

/** Fuzzes pairs on a runtime. `await using` ends it. */
export class PairsFuzzer implements Fuzzer<PairStep>, AsyncDisposable {
  readonly name: string;
  readonly #runtime: RuntimeName;
  readonly #command: readonly string[];
  readonly #folder: string;
  readonly #options: PairsOptions;
  readonly #servers = new Map<"sluice" | "express", Promise<Server>>();
  /** Steps that failed before, as strings. They run first, so that smaller reproductions fail as fast. */
  readonly #suspects = new Set<string>();
  #cases = 0;

  private constructor(runtime: RuntimeName, command: readonly string[], folder: string, options: PairsOptions) {
    this.name = `pairs of middleware on ${runtime}`;
    this.#runtime = runtime;
    this.#command = command;
    this.#folder = folder;
    this.#options = options;
  }

  /** Prepares a fuzzer; its servers start with the first round. */
  static async on(runtime: RuntimeName, options: PairsOptions = {}): Promise<PairsFuzzer> {
    return new PairsFuzzer(runtime, await commandOf(runtime, PROGRAM), await Deno.makeTempDir(), options);
  }

  round(pick: Chance): readonly PairStep[] {
    const { steps: count } = this.#options;
    const pairs = count === undefined
      ? [...NAMES.flatMap((one, i) => NAMES.slice(i + 1).map((two) => [one, two] as const)), ...repeated(QUEUES)]
      : Array.from({ length: count }, (_, i) => i % 2 === 0 ? oneOf(pick, QUEUES) : twoOf(pick));
    const steps = pairs.map(([one, two]): PairStep => ({
      pair: pick(2) === 0 ? [one, two] : [two, one],
      store: oneOf(pick, STORES),
      kind: oneOf(pick, KINDS),
      size: oneOf(pick, SIZES),
      sent: oneOf(pick, SENT),
      coding: oneOf(pick, CODINGS),
      isSlow: pick(4) === 0,
    }));
    return steps.map(withoutKnown);
  }

  async check(steps: readonly PairStep[]): Promise<Wrong | undefined> {
    const server = await this.#server("sluice");
    const noise = server.child.errors.length;
    const wrongs: Wrong[] = [];
    const isSuspect = (step: PairStep): boolean => this.#suspects.has(JSON.stringify(step));
    const left = [...steps.filter(isSuspect), ...steps.filter((step) => !isSuspect(step))].values();
    // several at once, as real clients do
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (const step of left) {
        const wrong = await this.#checked(step);
        if (wrong === undefined) continue;
        wrongs.push(wrong);
        this.#suspects.add(JSON.stringify(step));
        // start no further step
        for (const _ of left);
      }
    }));
    const written = server.child.errors.slice(noise);
    const unknown = NOTICES.reduce((text, notice) => text.replaceAll(notice, ""), written);
    if (unknown !== "") wrongs.push({ kind: "something is written to stderr", detail: unknown.slice(0, 1000) });
    if (server.child.code !== undefined) this.#servers.delete("sluice");
    return wrongs[0];
  }

  *simpler(step: PairStep): Generator<PairStep> {
    const { pair: [one, two] } = step;
    if (two !== "none") yield { ...step, pair: [one, "none"] };
    if (one !== "none") yield { ...step, pair: ["none", two] };
    if (step.isSlow) yield { ...step, isSlow: false };
    if (step.store !== "fast") yield { ...step, store: "fast" };
    if (step.sent !== "GET") yield { ...step, sent: "GET" };
    if (step.coding !== "identity") yield { ...step, coding: "identity" };
    for (const size of SIZES.slice(0, SIZES.indexOf(step.size))) yield { ...step, size };
    if (step.kind !== "end") yield { ...step, kind: "end" };
  }

  print(steps: readonly PairStep[]): string {
    return steps.map((step) => `await fuzzer.check([${JSON.stringify(step)}]);`).join("\n");
  }

  async #checked(step: PairStep): Promise<Wrong | undefined> {
    const server = await this.#server("sluice");
    const both = await this.#ask(server, step);
    if (!(both instanceof Map)) return both as Wrong;
    const [none, one, two] = await Promise.all([
      this.#known(server, { ...step, pair: ["none", "none"] }),
      this.#known(server, { ...step, pair: [step.pair[0], "none"] }),
      this.#known(server, { ...step, pair: [step.pair[1], "none"] }),
    ]);
    for (const shape of [none, one, two]) if (!(shape instanceof Map)) return shape as Wrong;
    const isShared = ROLES.some((role) => step.pair.every((name) => role.includes(name)));
    const wrong = wrongIn(none as Shape, [one as Shape, two as Shape], both, isShared);
    if (wrong !== undefined) {
      return { kind: `${wrong.name} is not what it is alone`, detail: wrong.detail + told(step) };
    }
    return await this.#besideExpress(step, both);
  }

  async #besideExpress(step: PairStep, ours: Shape): Promise<Wrong | undefined> {
    // Express cuts the connection when a session cannot be saved
    const isBoth = step.store !== "failing" && step.pair.every((name) => name === "none" || name in THEIRS) &&
      step.kind in COMMON;
    if (this.#runtime !== "Node" || !isBoth || UNLIKE_EXPRESS.includes(step.kind)) return undefined;
    const theirs = await this.#ask(await this.#server("express"), step);
    if (!(theirs instanceof Map)) return { kind: "Express fails", detail: JSON.stringify(theirs) + told(step) };
    for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
      const [a, b] = [ours.get(name), theirs.get(name)];
      if (a === b || name === "etag") continue;
      return { kind: `${name} is not Express's`, detail: `Sluice ${a}; Express ${b}${told(step)}` };
    }
    return undefined;
  }

  #known(server: Server, step: PairStep): Promise<Shape | Wrong> {
    const { isSlow: _, ...same } = step;
    const key = JSON.stringify(same);
    const known = server.known.get(key) ?? this.#ask(server, { ...step, isSlow: false });
    server.known.set(key, known);
    return known;
  }

  async #ask(server: Server, step: PairStep): Promise<Shape | Wrong> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const name = `${++this.#cases}`;
    const mount = `/${step.store}/${step.pair.map(encodeURIComponent).join("/")}`;
    const { method, type, body } = REQUESTS[step.sent];
    const kind = encodeURIComponent(step.kind === STATIC ? STATIC.replaceAll(" ", "-") : step.kind);
    const asking: Asking = {
      method,
      path: `${mount}/${kind}/${step.size}.txt`,
      headers: [
        `X-Case: ${name}`,
        `Accept-Encoding: ${step.coding}`,
        ...type === "" ? [] : [`Content-Type: ${type}`],
        ...step.kind === "304" ? ['If-None-Match: "1"'] : [],
      ],
      body,
      isSlow: step.isSlow,
    };
    const where = told(step);
    let connection: Exchanges;
    try {
      connection = await Exchanges.with(server.port);
    } catch (error) {
      return {
        kind: "the server ends",
        detail: `${error}, exit code ${server.child.code}\n${server.child.errors.slice(-2000)}${where}`,
      };
    }
    using _ = connection;
    let shape: Shape;
    try {
      if (!server.mounted.has(mount)) {
        await connection.ask(control(`/control/mount?paths=${encodeURIComponent(mount)}`), patienceMs);
        server.mounted.add(mount);
      }
      shape = shapeOf(await connection.ask(asking, patienceMs), mount);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return { kind: "the response does not end", detail: error.message + where };
    }
    try {
      const next = await connection.ask(control("/control/ready"), patienceMs);
      if (next.status !== 200) throw new Broken(`status ${next.status}`);
      const seen = await this.#over(connection, name, step);
      const wrong = seen === undefined ? undefined : { kind: seen[0], detail: seen[1] + where };
      return wrong ?? shape;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return { kind: "the next request fails", detail: error.message + where };
    }
  }

  /** The server's wrong observations when the exchange ended, if any. */
  async #over(connection: Exchanges, name: string, step: PairStep): Promise<[string, string] | undefined> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const path = `/control/seen?cases=${name}`;
    const read = async (rest = ""): Promise<Seen> => {
      const { body } = await connection.ask(control(path + rest), patienceMs);
      return JSON.parse(new TextDecoder().decode(body))[0];
    };
    const loggers = step.pair.filter((one) => LOGGERS.includes(one)).length;
    // middleware that responds does not pass the request on
    const isOver = ({ close, logged }: Seen) =>
      close.length > 0 && close[0]! > 0 && logged >= loggers && close.every((count, i) => count > 0 || i > 0);
    const end = performance.now() + patienceMs;
    while (!isOver(await read()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 2));
    const seen = await read("&forget=1");
    const { finish, close, logged, errors } = seen;
    if (logged !== loggers && close[2]! > 0) return ["a request is not logged once", `${logged} lines`];
    for (const [event, counts] of Object.entries({ finish, close })) {
      const reached = close.filter((count) => count > 0).length;
      if (counts.slice(0, reached).some((count) => count !== 1)) return [`${event} does not come once`, `${counts}`];
    }
    const wrongs = errors.filter((error) =>
      !(step.store === "failing" && /chunk after res\.end|Premature close/.test(error))
    );
    // a handler keeps writing for a moment after an error page has replaced its response
    if (wrongs.length > 0 || errors.length > MOST_LATE_WRITES) return ["an error is reported", errors.join("\n")];
    return undefined;
  }

  #server(of: "sluice" | "express"): Promise<Server> {
    const running = this.#servers.get(of) ?? this.#start(of);
    this.#servers.set(of, running);
    return running;
  }

  async #start(of: "sluice" | "express"): Promise<Server> {
    const folder = `${this.#folder}/${of}`;
    await Deno.mkdir(folder, { recursive: true });
    const { fault } = this.#options;
    const planted: Record<string, string> = fault === undefined ? {} : { PLANTED_FAULT: fault };
    const child = Child.start(this.#command, { PAIRS_OF: of, PAIRS_FOLDER: folder, NODE_ENV: "test", ...planted });
    return { child, port: Number(await child.line()), mounted: new Set(), known: new Map() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const servers = await Promise.all(this.#servers.values());
    await Promise.all(servers.map(({ child }) => child[Symbol.asyncDispose]()));
    await Deno.remove(this.#folder, { recursive: true });
  }
}

function repeated<T>(list: readonly T[]): T[] {
  return Array.from({ length: QUEUE_STEPS }, () => list).flat();
}

function twoOf(pick: Chance): readonly [string, string] {
  const one = pick(NAMES.length);
  return [NAMES[one]!, NAMES[(one + 1 + pick(NAMES.length - 1)) % NAMES.length]!];
}

function control(path: string): Asking {
  return { method: "GET", path, headers: [], body: "", isSlow: false };
}

function told(step: PairStep): string {
  return `\n${JSON.stringify(step)}`;
}

// npm's compression drops callbacks, and npm's multer reads a form that another multer has already read
function withoutKnown(step: PairStep): PairStep {
  const { pair } = step;
  if (step.kind === "write with callbacks" && pair.includes("npm:compression")) return { ...step, kind: "end" };
  return pair.includes("npm:multer") && pair.includes("upload") ? { ...step, sent: "GET" } : step;
}

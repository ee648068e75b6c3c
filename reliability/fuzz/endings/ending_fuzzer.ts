/** Requests that end in every way, and the counters that must notice, on each runtime and in Express. */
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { HANDSHAKE, requestHead, writeAll } from "../../../tests/support/raw_client.ts";
import { Child, commandOf, type RuntimeName } from "../../support/children.ts";
import { ask, bytesOf } from "../../support/http_client.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import type { Report } from "./service.ts";
import { OWN_WAYS, WAYS } from "./ways.ts";

/** The framework that serves the requests. */
export type Framework = "Sluice" | "Express";

/** When the client disconnects: `"stays"` means not before its response has ended. */
const MOMENTS = ["stays", "before", "during", "after", "cut"] as const;
const BODIES = ["none", "none", "json", "form", "text"] as const;

/** One connection. */
export interface Ending {
  /** The handler's name. */
  readonly way: string;
  /**
   * When the client disconnects: right after the head, while the handler runs, with the first bytes, or within the
   * body.
   */
  readonly moment: typeof MOMENTS[number];
  /** Whether middleware in front of the counters takes some time. */
  readonly slow: boolean;
  /** Whether the handler waits until all other requests in the round are over. */
  readonly gate: boolean;
  /** Whether the request is sent twice at once. */
  readonly twice: boolean;
  /** Whether the client closes only the sending side. */
  readonly half: boolean;
  /** Its body; there is no parser for text. */
  readonly body: typeof BODIES[number];
}

/** Ways that end only with their client. */
const NEEDS_DISCONNECT = ["never", "silent"];

/** Counters that a client must not lower while a handler runs. */
const HELD = ["concurrency", "adaptive", "metrics", "shedLoad", "planted"];

/** Time limit for expected changes, in ms. */
const PATIENCE_MS = 10_000;

/** Polling interval in ms. */
const LOOK_MS = 5;

/** Options for {@linkcode EndingFuzzer}. */
export interface EndingOptions {
  /** Name of a fault that the program plants. */
  readonly fault?: string;
  /** Time limit for expected changes in ms, 10 000 by default. */
  readonly patienceMs?: number;
  /** How long the slow middleware takes in ms, 5 by default. */
  readonly slowMs?: number;
}

/** Fuzzes a server. `await using` ends it. */
export class EndingFuzzer implements Fuzzer<Ending>, AsyncDisposable {
  readonly name: string;
  readonly #command: readonly string[];
  readonly #ways: readonly string[];
  readonly #isDeno: boolean;
  readonly #options: EndingOptions;
  readonly #patienceMs: number;
  #server: { readonly child: Child; readonly port: number } | undefined;

  private constructor(framework: Framework, runtime: RuntimeName, command: readonly string[], options: EndingOptions) {
    this.name = `endings in ${framework} on ${runtime}`;
    this.#command = command;
    this.#ways = Object.keys(framework === "Sluice" ? { ...WAYS, ...OWN_WAYS } : WAYS);
    this.#isDeno = framework === "Sluice" && runtime === "Deno";
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  /** Prepares a fuzzer; its server starts with the first round. */
  static async on(framework: Framework, runtime: RuntimeName, options: EndingOptions = {}): Promise<EndingFuzzer> {
    const command = await commandOf(runtime, `reliability/fuzz/endings/${framework.toLowerCase()}_program.ts`);
    return new EndingFuzzer(framework, runtime, command, options);
  }

  round(pick: Pick): readonly Ending[] {
    // if a request may not end anything, an hour passes, which hides counters that are stuck
    const mayWait = pick(4) === 0;
    return Array.from({ length: 8 }, () => {
      const way = oneOf(pick, this.#ways);
      const step = {
        way,
        moment: oneOf(pick, MOMENTS),
        slow: pick(4) === 0,
        gate: pick(3) === 0,
        twice: pick(3) === 0,
        half: pick(8) === 0,
        body: oneOf(pick, BODIES),
      };
      const sensible = this.#sensible(step);
      return mayWait || !mayEndNothing(sensible) ? sensible : { ...sensible, way: "destroyed" };
    });
  }

  #sensible(step: Ending): Ending {
    // behind a parser, there are no events left to listen for
    const isListener = step.way.includes("Listener");
    // a request read to its end keeps its connection when it is destroyed
    const body = isListener || (step.way.startsWith("request") && step.body !== "none") ? "text" : step.body;
    // an `end` listener is not called for half a body
    const moment = step.moment === "cut" && (body === "none" || isListener) ? "stays" : step.moment;
    // Bun does not read a second request behind a request with a body
    const twice = step.twice && body === "none";
    // a request that never ends needs a client that disconnects, and a server that notices
    if (NEEDS_DISCONNECT.includes(step.way)) {
      const moment = step.way === "silent" && step.moment === "before" ? "before" : "during";
      return { ...step, moment, body: "none", half: false, twice: false };
    }
    // Deno does not report a disconnect during a request with a body, nor does Bun while the body is unread
    const isNoticed = body === "none" || (!this.#isDeno && body !== "text");
    const sensible: Ending = { ...step, body, twice, moment: moment === "during" && !isNoticed ? "stays" : moment };
    // the uploads' clock is not advanced
    return mayEndNothing(sensible) && body === "form" ? { ...sensible, body: "json" } : sensible;
  }

  async check(steps: readonly Ending[]): Promise<Wrong | undefined> {
    const { port, child } = this.#server ??= await this.#start();
    let wrong: Wrong | undefined;
    try {
      wrong = await this.#check(port, steps);
    } catch (error) {
      if (!GONE.some((kind) => error instanceof kind)) throw error;
      await child.ended();
      wrong = { kind: "the server ends", detail: child.errors };
    }
    if (wrong !== undefined) await this[Symbol.asyncDispose]();
    return wrong;
  }

  async #check(port: number, steps: readonly Ending[]): Promise<Wrong | undefined> {
    const clients: Deno.TcpConn[] = [];
    try {
      return await this.#run(port, steps, clients);
    } finally {
      for (const client of clients) closed(client);
    }
  }

  async #run(port: number, steps: readonly Ending[], clients: Deno.TcpConn[]): Promise<Wrong | undefined> {
    const working = steps.filter(({ moment }) => moment === "during");
    for (const step of working) {
      const client = await sent(port, { ...step, gate: true });
      clients.push(client);
    }
    const begun = await this.#until(port, ({ waiting }) => waiting >= working.length);
    if (begun === null) return { kind: "a handler does not begin", detail: await this.#seen(port) };
    for (const client of clients) closed(client);
    const noticed = await this.#until(port, ({ left }) => left >= working.length);
    if (noticed === null) return { kind: "a disconnect is not noticed", detail: await this.#seen(port) };
    const early = freed(noticed);
    if (early !== undefined) return early;
    const others = steps.filter(({ moment }) => moment !== "during");
    const gated: Promise<boolean>[] = [];
    const ended = await Promise.all(others.map(async (step) => {
      const client = await sent(port, step);
      clients.push(client);
      const isOver = this.#proceed(client, step);
      if (!step.gate || step.moment === "before") return await isOver;
      gated.push(isOver);
      return true;
    }));
    if (ended.includes(false)) return { kind: NO_END, detail: await this.#seen(port) };
    const late = freed(await report(port));
    if (late !== undefined) return late;
    const opening = (async () => {
      // a second request may reach the gate after the first has ended
      for (;;) {
        await ask(port, "/control/open", this.#patienceMs);
        if (await settledSoon(gated)) return;
      }
    })();
    await Promise.race([opening, pause(this.#patienceMs)]);
    if ((await Promise.all(gated)).includes(false)) return { kind: NO_END, detail: await this.#seen(port) };
    return await this.#afterwards(port, steps);
  }

  async #proceed(client: Deno.TcpConn, { moment, half }: Ending): Promise<boolean> {
    // the server may treat it as a disconnected client
    if (half) {
      await client.closeWrite().catch(() => {});
      return true;
    }
    if (moment === "before" || moment === "cut") {
      closed(client);
      return true;
    }
    if (moment === "after") {
      const isOver = await within(this.#patienceMs, client.read(new Uint8Array(100)).catch(() => null));
      closed(client);
      return isOver;
    }
    return await within(this.#patienceMs, readAll(client));
  }

  // all counters are back at 0, except for requests that are never ended, which count for a minute
  async #afterwards(port: number, steps: readonly Ending[]): Promise<Wrong | undefined> {
    const endless = steps.filter(mayEndNothing).length * 2;
    const few = (most: number) => async ({ arriving, waiting, counters }: Report): Promise<boolean> => {
      if (waiting > 0) await ask(port, "/control/open", this.#patienceMs);
      // a request that arrived later would count in the next round
      return arriving + waiting === 0 && Object.values(counters).every((count) => Math.abs(count) <= most);
    };
    let last = await this.#until(port, few(endless));
    // a request may reach its handler only now
    const expired = async (seen: Report): Promise<boolean> => {
      await ask(port, "/control/later", this.#patienceMs);
      return await few(0)(seen);
    };
    if (last !== null && endless > 0) last = await this.#until(port, expired);
    if (last === null) return stuck(await report(port));
    const probed = async (): Promise<boolean> => (await ask(port, "/control/probe", this.#patienceMs)).body === "[]";
    if (await eventually(this.#patienceMs, probed)) return undefined;
    const { body } = await ask(port, "/control/probe", this.#patienceMs);
    return { kind: `${body} is not free again`, detail: await this.#seen(port) };
  }

  async #until(port: number, holds: (seen: Report) => boolean | Promise<boolean>): Promise<Report | null> {
    let seen!: Report;
    return await eventually(this.#patienceMs, async () => holds(seen = await report(port))) ? seen : null;
  }

  async #seen(port: number): Promise<string> {
    return JSON.stringify(await report(port));
  }

  *simpler(step: Ending): Generator<Ending> {
    for (const name of ["slow", "gate", "twice", "half"] as const) if (step[name]) yield { ...step, [name]: false };
    if (step.body !== "none") yield { ...step, body: "none" };
    if (NEEDS_DISCONNECT.includes(step.way)) return;
    if (step.moment !== "stays") yield { ...step, moment: "stays" };
    if (step.way !== "send") yield { ...step, way: "send" };
  }

  print(steps: readonly Ending[]): string {
    return steps.map((step) => `end(${JSON.stringify(step)});`).join("\n");
  }

  /**
   * Opens and drops a WebSocket, and closes the application.
   *
   * @returns Whether nothing kept it open
   */
  async close(): Promise<boolean> {
    const { child, port } = this.#server ??= await this.#start();
    using socket = await Deno.connect({ hostname: "127.0.0.1", port });
    await writeAll(socket, requestHead("GET /socket", HANDSHAKE));
    await eventually(this.#patienceMs, async () => (await report(port)).counters["sockets"] === 1);
    socket.close();
    const isFree = await eventually(this.#patienceMs, async () => (await report(port)).counters["sockets"] === 0);
    await ask(port, "/control/close", this.#patienceMs);
    const isClosed = await within(this.#patienceMs, child.line());
    await this[Symbol.asyncDispose]();
    return isFree && isClosed;
  }

  async #start(): Promise<{ child: Child; port: number }> {
    const { fault, slowMs } = this.#options;
    const child = Child.start(this.#command, {
      ...fault !== undefined && { PLANTED_FAULT: fault },
      ...slowMs !== undefined && { SLOW_MS: String(slowMs) },
    });
    return { child, port: Number(await child.line()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.child[Symbol.asyncDispose]();
  }
}

const GONE = [Deno.errors.ConnectionReset, Deno.errors.BrokenPipe, Deno.errors.ConnectionRefused];
const NO_END = "a client gets neither a response nor an end";

async function report(port: number): Promise<Report> {
  return JSON.parse((await ask(port, "/control/report")).body);
}

// Once the client has disconnected, some handlers leave no trace: those that destroy the request or the connection,
// wait for the body, or start a pipeline that the runtime skips because the response is destroyed. Express also gives
// up on a missing file without a trace, before it finds out that it is missing.
function mayEndNothing({ way, moment, half, twice }: Ending): boolean {
  if (way === "never") return true;
  return /^(?:request|socket)Destroyed|^(?:async|data)Listener|^missingFile$|^(?:missing|failing)?[Pp]ipeline$/
    .test(way) &&
    (moment !== "stays" || half || twice);
}

// a handler that waits at the gate is running
function freed({ waiting, counters }: Report): Wrong | undefined {
  const name = HELD.find((name) => counters[name] !== undefined && counters[name] < waiting);
  if (name === undefined) return undefined;
  return { kind: `${name} is freed while the handler works`, detail: JSON.stringify({ waiting, counters }) };
}

function stuck(seen: Report): Wrong {
  const name = Object.keys(seen.counters).find((name) => seen.counters[name] !== 0);
  return { kind: `${name ?? "a handler"} does not return to 0`, detail: JSON.stringify(seen) };
}

/** Sends the request, without its body's end if that is to be cut. */
async function sent(port: number, step: Ending): Promise<Deno.TcpConn> {
  const { way, slow, gate, twice, body, moment } = step;
  const path = `/${slow ? "slow" : "fast"}/${gate ? "gate" : "now"}/${way}`;
  const [type, content] = contentOf(body);
  const start = `${body === "none" ? "GET" : "POST"} ${path}`;
  const headers = body === "none" ? [] : [`Content-Type: ${type}`, `Content-Length: ${content.length}`];
  const one = (last: readonly string[], upTo?: number) => [
    ...requestHead(start, [...headers, ...last]),
    ...bytesOf(content.slice(0, upTo)),
  ];
  const last = one(["Connection: close"], moment === "cut" ? content.length / 2 : undefined);
  const client = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(client, new Uint8Array([...twice ? one([]) : [], ...last])).catch(() => {});
  return client;
}

function contentOf(body: Ending["body"]): [type: string, content: string] {
  if (body === "none") return ["", ""];
  if (body === "text") return ["text/plain", "x".repeat(5000)];
  if (body === "json") return ["application/json", JSON.stringify({ text: "x".repeat(5000) })];
  const file = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + "x".repeat(5000);
  return ["multipart/form-data; boundary=b", `--b\r\n${file}\r\n--b--\r\n`];
}

// the server may reset a connection that the handler has destroyed
async function readAll(client: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(65_536);
  try {
    while (await client.read(buffer) !== null);
  } catch {
    // cut
  }
}

function closed(client: Deno.TcpConn): void {
  try {
    client.close();
  } catch {
    // it was already closed
  }
}

async function eventually(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (await holds()) return true;
    await pause(LOOK_MS);
  }
  return false;
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => timer = setTimeout(resolve, ms, false));
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}

async function settledSoon(all: readonly Promise<unknown>[]): Promise<boolean> {
  return await Promise.race([Promise.all(all).then(() => true), pause(LOOK_MS).then(() => false)]);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Connections with arbitrary bytes, to real servers on each runtime. */
import { writeAll } from "../../../tests/support/raw_client.ts";
import type { Pick } from "../../../tests/support/random.ts";
import { Child, commandOf, type RuntimeName, RUNTIMES, uwsEnvironment } from "../../support/children.ts";
import { ask, bytesOf, latin1 } from "../../support/http_client.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { printedText } from "../printed_text.ts";
import { shorter } from "../smallest.ts";
import { forbidden, properRequests } from "./grammar.ts";
import type { Sight } from "./target.ts";
import { type Connection, randomConnection } from "./random_connection.ts";

const PROGRAM = "reliability/fuzz/raw/program";

/** The server: a runtime's own, or uWebSockets.js on Node. */
export type RawServer = RuntimeName | "uWebSockets.js";

/** All servers. */
export const RAW_SERVERS: readonly RawServer[] = [...RUNTIMES, "uWebSockets.js"];
/** Statuses from 500 up that respond to a client error or a limit. */
const ALLOWED = [501, 503, 505];
/** Time to wait for a response that may never come, and for a required one, in ms. */
const BRIEF_MS = 12;
const PATIENCE_MS = 5000;

/**
 * Runtime behavior that Sluice cannot change, as `docs/security.md` documents: Bun joins two `Host` lines into one, and
 * on Deno an absolute target may hide the header.
 */
const KNOWN: Readonly<Record<RawServer, readonly string[]>> = {
  Deno: ["a handler runs for a Host that is no host"],
  Node: [],
  Bun: ["a handler runs for a Host that is no host"],
  // pipelining behind a handler that waits, trailers, and what follows from them (docs/uws.md)
  "uWebSockets.js": ["a proper request is not answered"],
};

/** Options for {@linkcode RawFuzzer}. */
export interface RawOptions {
  /** Name of a fault that the program plants. */
  readonly fault?: string;
  /** Variables added to the program's environment. */
  readonly env?: Record<string, string>;
  /** Time to wait for a required response in ms, 5000 by default. */
  readonly patienceMs?: number;
}

/** Fuzzes a server. `await using` ends it. */
export class RawFuzzer implements Fuzzer<Connection>, AsyncDisposable {
  readonly name: string;
  readonly #command: readonly string[];
  readonly #options: RawOptions;
  readonly #known: readonly string[];
  #server: { readonly child: Child; readonly port: number } | undefined;

  private constructor(server: RawServer, command: readonly string[], options: RawOptions) {
    this.name = `raw connections to ${server}`;
    this.#command = command;
    this.#options = options;
    this.#known = KNOWN[server];
  }

  /** Prepares a fuzzer; its server starts with the first round. */
  static async on(server: RawServer, options: RawOptions = {}): Promise<RawFuzzer> {
    const isEngine = server === "uWebSockets.js";
    const command = isEngine ? commandOf("Node", `${PROGRAM}_uws.ts`) : commandOf(server, `${PROGRAM}.ts`);
    return new RawFuzzer(server, await command, isEngine ? { ...options, env: await uwsEnvironment() } : options);
  }

  round(pick: Pick): readonly Connection[] {
    return Array.from({ length: 8 }, () => randomConnection(pick));
  }

  async check(steps: readonly Connection[]): Promise<Wrong | undefined> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const { child, port } = this.#server ??= await this.#start();
    const noise = child.errors.length;
    const wrongs: Wrong[] = [];
    for (const step of steps) wrongs.push(...await sent(port, step, patienceMs));
    wrongs.push(...await afterwards(port, steps));
    if (child.errors.length > noise) {
      wrongs.push({ kind: "something is written to stderr", detail: child.errors.slice(noise, noise + 1000) });
    }
    if (wrongs.some(({ kind }) => kind === NO_ANSWER)) await this[Symbol.asyncDispose]();
    return wrongs.find(({ kind }) => !this.#known.includes(kind));
  }

  *simpler({ pieces, ending }: Connection): Generator<Connection> {
    for (const fewer of shorter(pieces)) if (fewer.length > 0) yield { pieces: fewer, ending };
    for (const [i, piece] of pieces.entries()) {
      if (piece.length < 12) continue;
      const brief = piece.replaceAll(/([^])\1{9,}/g, "$1");
      if (brief !== piece) yield { pieces: pieces.with(i, brief), ending };
      for (const part of shorter([...piece])) {
        if (part.length > piece.length / 2 - 2) yield { pieces: pieces.with(i, part.join("")), ending };
      }
    }
  }

  print(steps: readonly Connection[]): string {
    return steps.map(({ pieces, ending }) => `send(${printedText(pieces.join(""))}, ${JSON.stringify(ending)});`)
      .join("\n");
  }

  async #start(): Promise<{ child: Child; port: number }> {
    const { fault, env } = this.#options;
    const child = Child.start(this.#command, { ...env, ...fault === undefined ? {} : { PLANTED_FAULT: fault } });
    const port = Number(await child.line());
    await ask(port, "/control/seen", PATIENCE_MS);
    return { child, port };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.child[Symbol.asyncDispose]();
  }
}

const GONE = [Deno.errors.ConnectionReset, Deno.errors.BrokenPipe, Deno.errors.ConnectionRefused];
const NO_ANSWER = "a proper request afterwards is not answered";

async function sent(port: number, { pieces, ending }: Connection, patienceMs: number): Promise<Wrong[]> {
  const text = pieces.join("");
  const expected = ending === "cut" ? 0 : properRequests(text);
  const statuses = await statusesOf(port, text, ending, { expected, ms: expected > 0 ? patienceMs : BRIEF_MS });
  const wrongs: Wrong[] = [];
  for (const status of statuses) {
    if (status >= 500 && !ALLOWED.includes(status)) {
      wrongs.push({ kind: `an answer is ${status}`, detail: `${statuses}` });
    }
  }
  // the server may treat a client that closes its sending side first as disconnected
  if (ending === "read" && statuses.length < expected) {
    wrongs.push({ kind: "a proper request is not answered", detail: `${statuses.length} of ${expected} answers came` });
  }
  return wrongs;
}

async function statusesOf(
  port: number,
  text: string,
  ending: Connection["ending"],
  { expected, ms }: { expected: number; ms: number },
): Promise<number[]> {
  let seen = "";
  const statuses = () => Array.from(seen.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, status]) => Number(status));
  const late = () => new Promise<null>((resolve) => timer = setTimeout(resolve, ms, null));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let connection: Deno.TcpConn | undefined;
  try {
    connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await writeAll(connection, bytesOf(text));
    if (ending === "half") await connection.closeWrite();
    for (const over = late(); ending !== "cut" && (expected === 0 || statuses().length < expected);) {
      const piece = new Uint8Array(16_384);
      const count = await Promise.race([connection.read(piece), over]);
      if (count === null) break;
      seen += latin1(piece.subarray(0, count));
    }
  } catch (error) {
    // the server may close a connection at any time; whether it has exited is checked afterwards
    if (!GONE.some((kind) => error instanceof kind)) throw error;
  } finally {
    clearTimeout(timer);
    connection?.close();
  }
  return statuses();
}

async function afterwards(port: number, steps: readonly Connection[]): Promise<Wrong[]> {
  let sights: Sight[];
  try {
    const { status, body } = await ask(port, "/control/seen", PATIENCE_MS);
    if (status !== 200) return [{ kind: NO_ANSWER, detail: `status ${status}` }];
    sights = JSON.parse(body);
  } catch (error) {
    return [{ kind: NO_ANSWER, detail: String(error) }];
  }
  const all = steps.map(({ pieces }) => pieces.join("")).join("\r\n");
  return sights.flatMap((sight) => {
    const kind = forbidden(sight, all);
    return kind === undefined ? [] : [{ kind, detail: JSON.stringify(sight) }];
  });
}

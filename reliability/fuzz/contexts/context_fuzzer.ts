/** Requests that continue in every way, 16 at a time: each callback sees its own request's asynchronous context. */
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { type RuntimeName, RUNTIMES } from "../../support/children.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { COMMON_WAYS } from "./common_ways.ts";
import { type ContextStep, ContextTarget, type Outcome, WAYS } from "./context_target.ts";
import { BODILESS, type Kind, KINDS } from "./requests.ts";
import { ENTRIES, type Entry } from "./target.ts";

/** Concurrent requests. */
const AT_ONCE = 16;

/** Kinds of server on each runtime. */
const SERVERS: Readonly<Record<RuntimeName, readonly string[]>> = {
  Deno: ["listen", "fetch"],
  Node: ["listen", "createServer", "fetch", "inject"],
  Bun: ["listen", "fetch"],
};

/** All servers, each with its runtime. */
export const CONTEXT_SERVERS: readonly (readonly [runtime: RuntimeName, server: string])[] = RUNTIMES.flatMap(
  (runtime) => SERVERS[runtime].map((server) => [runtime, server] as const),
);

/** Limitations in a runtime itself, as documented in `docs/express-differences.md`. */
interface Limits {
  /** Bun closes a connection on which a request is pipelined behind a waiting request. */
  readonly kinds?: readonly Kind[];
  /** Deno keeps the context from `enterWith` for all later requests. */
  readonly entries?: readonly Entry[];
  /** Deno and Node pull chunks from a returned `Response` in an empty context. */
  readonly lost?: readonly string[];
}

const PULLED: readonly string[] = ["pull", "pull, behind a timer"].map((label) =>
  `lost: a returned Response with a stream: ${label}`
);

const LIMITS: Readonly<Record<RuntimeName, Limits>> = {
  Deno: { entries: ["enterWith"], lost: PULLED },
  Node: { lost: PULLED },
  Bun: { kinds: ["in front of another"] },
};

/** Handler that Express runs for a way that it lacks: shows which listeners for the end also lose the context there. */
const STAND_IN = "listeners for the end, in front of json()";

/** Fuzzes one kind of server, with Express on Node for comparison. `await using` ends it. */
export class ContextFuzzer implements Fuzzer<ContextStep>, AsyncDisposable {
  readonly name: string;
  /** Number of callbacks that saw their request's context, and number that did not, as on Express or the runtime. */
  readonly counts: { own: number; excused: number } = { own: 0, excused: 0 };
  readonly #ours: ContextTarget;
  readonly #theirs: ContextTarget;
  readonly #limits: Limits;
  readonly #ways: readonly string[];

  private constructor(runtime: RuntimeName, server: string, ours: ContextTarget, theirs: ContextTarget) {
    this.name = `contexts on ${runtime}, ${server}`;
    this.#ours = ours;
    this.#theirs = theirs;
    this.#limits = LIMITS[runtime];
    const hasSockets = server === "listen" || runtime === "Deno";
    this.#ways = WAYS.filter(({ method }) => method !== "WS" || hasSockets).map(({ name }) => name);
  }

  /**
   * Starts the server.
   *
   * @param express The oracle, which several fuzzers may share
   * @param runtime Sluice's runtime
   * @param server A kind of server
   * @param fault Name of a fault that the server plants
   */
  static async on(
    express: ContextTarget,
    [runtime, server]: typeof CONTEXT_SERVERS[number],
    fault?: string,
  ): Promise<ContextFuzzer> {
    return new ContextFuzzer(runtime, server, await ContextTarget.sluice(runtime, server, fault), express);
  }

  /** Every possible step. */
  everyStep(): ContextStep[] {
    return this.#ways.flatMap((way) =>
      this.#kindsOf(way).flatMap((kind) => this.#entries.map((entry) => ({ way, kind, entry })))
    );
  }

  round(pick: Pick): readonly ContextStep[] {
    return Array.from({ length: AT_ONCE }, () => {
      const way = oneOf(pick, this.#ways);
      return { way, kind: oneOf(pick, this.#kindsOf(way)), entry: oneOf(pick, this.#entries) };
    });
  }

  get #entries(): readonly Entry[] {
    return ENTRIES.filter((entry) => !this.#limits.entries?.includes(entry));
  }

  #kindsOf(way: string): readonly Kind[] {
    const { method } = WAYS.find(({ name }) => name === way)!;
    const kinds = method === "WS" ? ["none"] as const : method === "GET" ? BODILESS : KINDS;
    return kinds.filter((kind) => !this.#limits.kinds?.includes(kind));
  }

  async check(steps: readonly ContextStep[]): Promise<Wrong | undefined> {
    return (await this.wrongs(steps))[0];
  }

  /** Makes concurrent requests, and returns all failures. */
  async wrongs(steps: readonly ContextStep[]): Promise<Wrong[]> {
    const common = steps.map((step) => isCommon(step.way) ? step : { ...step, way: STAND_IN });
    const [ours, theirs] = await Promise.all([this.#ours.see(steps), this.#theirs.see(common)]);
    return steps.flatMap((step, i) => {
      const { outcomes, failure } = ours[i]!;
      const detail = `${step.kind}, ${step.entry}`;
      const failed = failure === undefined
        ? []
        : [{ kind: `no response: ${step.way}`, detail: `${detail}: ${failure}` }];
      const wrongs = [...outcomes].filter(([label, outcome]) =>
        this.#isWrong(step, label, outcome, theirs[i]!.outcomes.get(label))
      );
      return [...failed, ...wrongs.map(([label, outcome]) => ({ kind: kindOf(step, label, outcome), detail }))];
    });
  }

  #isWrong(step: ContextStep, label: string, outcome: Outcome, express: Outcome | undefined): boolean {
    if (outcome === "own") {
      this.counts.own++;
      return false;
    }
    const isExcused = outcome === "foreign"
      ? express === "foreign"
      : (express ?? unseen(step, label)) !== "own" || this.#limits.lost?.includes(kindOf(step, label, outcome));
    if (isExcused) this.counts.excused++;
    return !isExcused;
  }

  *simpler({ way, kind, entry }: ContextStep): Generator<ContextStep> {
    if (kind !== "small" && kind !== "none") yield { way, kind: "small", entry };
    if (entry !== "run") yield { way, kind, entry: "run" };
  }

  print(steps: readonly ContextStep[]): string {
    return steps.map((step) => Deno.inspect(step, { breakLength: Infinity })).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ours[Symbol.asyncDispose]();
  }
}

function isCommon(way: string): boolean {
  return COMMON_WAYS.some(({ name }) => name === way);
}

// a client may disconnect before Express runs the handler, whose listeners would lose the context like all others
function unseen({ kind }: ContextStep, label: string): Outcome {
  return kind === "cut off" && /^re[qs] /.test(label) ? "lost" : "own";
}

function kindOf({ way }: ContextStep, label: string, outcome: Outcome): string {
  return `${outcome}: ${way}: ${label}`;
}

/** Sends a trace through one entry in virtual time, with one kind of store and functions, and records the results. */
import { assert, assertEquals } from "@std/assert";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";
import { MemoryStore } from "@sluice/rate-limit";
import { AsyncStore } from "../support/async_store.ts";
import type { AnyOptions, Served, Subject } from "../frameworks/subjects.ts";
import { Stage, turns } from "./stage.ts";
import type { TracedRequest } from "./traces.ts";

/** Tools for building a case's options. */
export interface Making {
  /** Reads a header from the context passed to functions in the options. */
  header(context: unknown, name: string): string | undefined;
  /** Responds to a refused request; see {@linkcode Subject}. */
  respond: Subject["respond"];
  /** Current time in ms. */
  readonly clock: () => number;
}

/** A path through the limiter: whether the store, and the functions in the options, return promises. */
export interface Variant {
  readonly store: "memory" | "async";
  readonly functions: "sync" | "async";
}

/** Options, and the requests to send. */
export interface Scene {
  options(making: Making): AnyOptions;
  readonly trace: readonly TracedRequest[];
  /** Start in ms since 1970. */
  readonly start?: number;
  /** A remote store outage, in ms: it fails, or its replies never arrive. */
  readonly outage?: { readonly from: number; readonly to: number; readonly kind: "fails" | "stalls" };
  /** Results not compared, because the store is called differently on purpose. */
  readonly apart?: readonly ("state" | "headers" | "counters")[];
  /**
   * Whether simultaneous requests are always decided one after another. By default, if functions return promises,
   * requests are decided together, and merged for a remote store. Merged requests get the state after all of them,
   * which differs when the requests differ or refusals have consequences.
   */
  readonly inTurn?: boolean;
}

/** A request's result. */
interface Outcome {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A trace's result. */
export interface Observed {
  /**
   * For each moment with an event: counters and keys afterwards, and the requests that have ended. Requests are
   * recorded half a ms after they are sent.
   */
  readonly steps: ReadonlyMap<number, string>;
  /** When each request reached its handler or was refused. */
  readonly left: Record<string, string>;
  readonly outcomes: Record<string, Outcome>;
}

const HEADERS = /^(x-ratelimit-|ratelimit|retry-after$|cache-control$)/;
const COUNTERS = ["admitted", "limited", "shadowLimited", "skipped", "refunded"] as const;

/** Functions that may return promises. */
const AWAITED = [
  ...["cost", "limit", "keyGenerator", "policy", "tier", "message", "onLimitReached"],
  ...["requestWasSuccessful", "costAfter"],
];

// deno-lint-ignore no-explicit-any -- functions of all kinds
type AnyFunction = (...args: any[]) => unknown;

function made<Options extends object>(options: Options, names: readonly string[]): Options {
  const later = (value: unknown) =>
    typeof value === "function" ? async (...args: unknown[]) => await (value as AnyFunction)(...args) : value;
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, names.includes(name) ? later(value) : value]),
  ) as Options;
}

async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen in ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer!);
  }
}

/** One run. */
class Run {
  readonly left: Record<string, string> = {};
  readonly outcomes: Record<string, Outcome> = {};
  readonly #subject: Subject;
  readonly #scene: Scene;
  readonly #variant: Variant;
  readonly #stage: Stage;
  readonly #store: AsyncStore | null;
  readonly #arrived = new Map<string, () => void>();
  /** Responses that are no longer held back. */
  readonly #due = new Map<string, Promise<void>>();
  readonly #pending = new Map<string, Promise<void>>();
  readonly #sent = new Map<string, TracedRequest>();
  /** Releases simultaneous requests in order. */
  #released: Promise<void> = Promise.resolve();
  #served: Served | null = null;

  constructor(subject: Subject, scene: Scene, variant: Variant) {
    this.#subject = subject;
    this.#scene = scene;
    this.#variant = variant;
    this.#stage = new Stage(scene.start ?? 1_700_000_000_000);
    for (const request of scene.trace) this.#sent.set(request.id, request);
    this.#store = null;
    if (variant.store === "async") {
      const { maxKeys } = this.#given();
      this.#store = new AsyncStore(
        new MemoryStore({ clock: this.#stage.clock.read, ...maxKeys === undefined ? {} : { maxKeys } }),
      );
    }
  }

  #given(): AnyOptions {
    const { header, respond } = this.#subject;
    return this.#scene.options({ header, respond, clock: this.#stage.clock.read });
  }

  #options(): AnyOptions {
    const given = this.#given();
    const isLate = this.#variant.functions === "async";
    const idOf = (context: unknown) => this.#subject.header(context, "x-id")!;
    const told = isLate ? made(given, AWAITED) : given;
    return {
      ...told,
      ...isLate && given.fields && { fields: made(given.fields, Object.keys(given.fields)) },
      validate: given.validate ?? false,
      clock: this.#stage.clock.read,
      timers: this.#stage.timers,
      ...this.#store === null ? {} : { store: this.#store, processes: given.processes ?? 1 },
      skip: (context, ...rest) => {
        this.#arrived.get(idOf(context))?.();
        const skips = () => given.skip?.(context, ...rest) ?? false;
        return isLate ? this.#released.then(skips) : skips();
      },
      onLimitReached: (context, ...rest) => {
        this.#leave(idOf(context), "refused");
        return told.onLimitReached?.(context, ...rest);
      },
    };
  }

  #leave(id: string, how: string): void {
    this.left[id] = this.left[id] === undefined
      ? `${how} at ${this.#stage.at}`
      : `${this.left[id]}, ${how} at ${this.#stage.at}`;
    this.#due.set(id, this.#pending.get(id)!);
  }

  #handle = async (id: string): Promise<void> => {
    this.#leave(id, "passed");
    this.#due.delete(id);
    const { hold, fails } = this.#sent.get(id)!;
    await this.#stage.wait(hold);
    this.#due.set(id, this.#pending.get(id)!);
    if (fails) throw new Error("failed");
  };

  async #send({ id, ip, headers }: TracedRequest): Promise<void> {
    const arrived = new Promise<void>((resolve) => this.#arrived.set(id, resolve));
    const { promise: over, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.set(id, over);
    this.#ask(id, ip, headers).then(resolve, reject);
    await within(`arrival of request ${id}`, Promise.race([arrived, over]));
  }

  async #ask(id: string, ip: string | null, headers: Record<string, string>): Promise<void> {
    const response = await this.#served!.ask("/hello", { ip, headers });
    const body = await response.text();
    const told = [...response.headers].filter(([name]) => HEADERS.test(name));
    // fetchLimit passes errors on to its caller
    const isPlain = response.status === 500 || this.#scene.apart?.includes("headers");
    this.outcomes[id] = {
      status: response.status,
      headers: isPlain ? {} : Object.fromEntries(told),
      body: response.status === 500 ? "" : body,
    };
  }

  async #snapshot(): Promise<string> {
    const [limiter] = this.#served!.limiters;
    const counters = this.#scene.apart?.includes("counters")
      ? []
      : COUNTERS.map((name) => `${name} ${limiter!.counters[name]}`);
    const keys: string[] = [];
    if (!this.#scene.apart?.includes("state")) {
      for (const { name } of limiter!.policies) {
        for await (const { key, verdict } of limiter!.keys(name)) {
          const { remaining, resetMs } = verdict;
          if (resetMs > 0) keys.push(`${name} ${key}: ${remaining} for ${resetMs} ms`);
        }
      }
    }
    const over = Object.keys(this.outcomes).sort();
    return JSON.stringify({ counters, keys: keys.sort(), over, left: Object.entries(this.left).sort() });
  }

  async #settle(expected: string | undefined): Promise<string> {
    await turns();
    for (const [id, over] of this.#due) await within(`response to request ${id}`, over);
    await turns();
    let snapshot = await this.#snapshot();
    if (expected === undefined) return snapshot;
    // some frameworks finish a request only some time after its response
    const end = performance.now() + SETTLE_MS;
    while (snapshot !== expected && performance.now() < end) {
      await turns();
      snapshot = await this.#snapshot();
    }
    return snapshot;
  }

  async play(reference: Observed | null): Promise<Observed> {
    const { trace, outage } = this.#scene;
    const served = this.#served = await this.#subject.serve([this.#options()], undefined, this.#handle);
    const steps = new Map<number, string>();
    const known = [...reference?.steps.keys() ?? []];
    let next = 0;
    try {
      for (;;) {
        // timers due at the same time run before requests
        const timed = Math.min(this.#stage.due, known.find((one) => !steps.has(one)) ?? Infinity);
        const sent = trace[next]?.at ?? Infinity;
        if (timed === Infinity && sent === Infinity) break;
        const isSent = sent < timed;
        const at = Math.floor(Math.min(timed, sent));
        this.#stage.advanceTo(at);
        if (this.#store !== null && outage !== undefined) this.#fail(outage, at);
        if (isSent) {
          const isCrowd = this.#variant.functions === "async" && !this.#scene.inTurn;
          let release = () => {};
          if (isCrowd) this.#released = new Promise((resolve) => release = resolve);
          while (trace[next]?.at === at) {
            await this.#send(trace[next++]!);
            if (!isCrowd) await turns();
          }
          release();
        }
        const step = isSent ? at + 0.5 : at;
        const expected = reference?.steps.get(step);
        const snapshot = await this.#settle(expected);
        if (reference !== null && expected === undefined) continue;
        assertEquals(JSON.parse(snapshot), JSON.parse(expected ?? snapshot), `after ${at} ms`);
        steps.set(step, snapshot);
      }
      await within("the last response", Promise.all(this.#pending.values()));
      assert(Object.keys(this.outcomes).length === trace.length);
    } finally {
      await served.close();
      for (const limiter of served.limiters) await limiter.close();
    }
    return { steps, left: this.left, outcomes: this.outcomes };
  }

  #fail({ from, to, kind }: NonNullable<Scene["outage"]>, at: number): void {
    const isOut = at >= from && at < to;
    this.#store!.failure = isOut && kind === "fails" ? new Error("down") : null;
    this.#store!.ahead = isOut && kind === "stalls" ? new Promise(() => {}) : null;
  }
}

/** How long to wait, in ms, for a framework's work after a response before it counts as unfinished. */
const SETTLE_MS = 3000;

/**
 * Plays a scene.
 *
 * @param reference Expected result at each moment; `null` to accept any
 * @throws {AssertionError} If a result differs
 */
export async function play(
  subject: Subject,
  scene: Scene,
  variant: Variant,
  reference: Observed | null,
): Promise<Observed> {
  const observed = await new Run(subject, scene, variant).play(reference);
  if (reference !== null) {
    assertEquals(observed.left, reference.left);
    assertEquals(observed.outcomes, reference.outcomes);
  }
  return observed;
}

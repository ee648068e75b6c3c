import { LONGEST_TIMER_MS, refuseOption } from "@sluice/shared";
import { capacityOf, holdsSlots, refusesFreely } from "../policy/policy.ts";
import type { Awaitable, Take } from "../policy/store.ts";
import { signatureOf } from "../wrappers/signature.ts";
import type { Timers } from "../wrappers/timers.ts";
import type { Decision } from "./decision.ts";
import { Cancellation, type Ending, tooLate } from "./cancellation.ts";

/** Maximum recent refunds to remember for in-flight requests. */
const RECENT = 64;

/** What a queue needs from its limiter. */
export interface QueueOptions {
  /** Maximum callers at once. */
  readonly most: number;
  readonly timers: Timers;
  /** A clock in ms; only differences matter. */
  readonly elapsed: () => number;
  /** Whether several callers may share a request. */
  readonly asksForMany: boolean;
  /**
   * Requests the units for equal batches.
   *
   * @returns A decision for each granted batch, and one for the first refused batch
   */
  readonly ask: (batches: readonly (readonly Take[])[]) => Awaitable<readonly Decision[]>;
  /** Refunds units granted to a caller that has aborted. */
  readonly giveBack: (decision: Decision) => void;
}

/** Takes that were requested, and have since been refunded. */
type Demanded = Pick<Decision, "takes">;

/**
 * Receives each refusal that a waiting caller has to wait out, its own or that of an equal request ahead of it.
 *
 * @param denied The refusal
 * @param at When it began, by the queue's clock
 */
export type RefusalListener = (denied: Decision, at: number) => void;

/** A waiting caller. */
class Waiter {
  readonly takes: readonly Take[];
  readonly cancellation: Cancellation;
  /** Maximum wait in ms; `undefined` for unlimited. */
  readonly timeoutMs: number | undefined;
  /** Its deadline, by the queue's clock. */
  readonly deadline: number;
  /** Equal for callers with equal requests; `null` if each needs its own request. */
  readonly kind: string | null;
  /** Resolves with the granted decision. */
  readonly granted: Promise<Decision>;
  readonly #grant: (decision: Decision) => void;
  readonly refused: RefusalListener;
  isServed = false;
  /** The refusal it waits out before its turn; `null` if it must send a request. */
  denied: Decision | null = null;
  /** The refund count when the request was sent. */
  askedAt = 0;

  constructor(
    takes: readonly Take[],
    cancellation: Cancellation,
    timeoutMs: number | undefined,
    now: number,
    asksForMany: boolean,
    refused: RefusalListener,
  ) {
    this.takes = takes;
    this.cancellation = cancellation;
    this.timeoutMs = timeoutMs;
    this.deadline = now + (timeoutMs ?? Infinity);
    this.kind = asksForMany && takes.every(({ policy }) => refusesFreely(policy)) ? signatureOf(takes) : null;
    let grant: (decision: Decision) => void = () => {};
    // Node 20 has no Promise.withResolvers
    this.granted = new Promise((resolve) => grant = resolve);
    this.#grant = grant;
    this.refused = refused;
  }

  grant(decision: Decision): void {
    this.isServed = true;
    this.#grant(decision);
  }
}

/** The callers that wait for one key. */
interface Lane {
  /** The callers, in order. */
  readonly waiters: Set<Waiter>;
  /** Settles when all callers so far are done. */
  last: Promise<unknown>;
  /** By kind: its refusal, and when that began and ends without a refund, by the queue's clock. */
  refused:
    | { readonly kind: string; readonly denied: Decision; readonly at: number; readonly until: number }
    | null;
}

/**
 * Callers waiting for their turn: one lane per key, first come, first served, up to a fixed number.
 *
 * Only the first caller of a lane calls the store, so that a crowd does not call it repeatedly. It also requests the
 * units for the callers behind it with equal requests: one at a time, a lane would get one grant per round trip.
 */
export class WaitQueue {
  readonly #options: QueueOptions;
  readonly #asksForMany: boolean;
  readonly #lanes = new Map<string, Lane>();
  readonly #cancellations = new Set<Cancellation>();
  /** Callers that sleep until their last refusal ends, by that refusal. */
  readonly #paused = new Map<Decision, () => void>();
  /** Recent refunds, `null` if complete: number `n` is at index `n % RECENT`. */
  readonly #recent: (Demanded | null)[] = [];
  #returns = 0;
  #waiting = 0;
  #closed: DOMException | null = null;

  /**
   * Creates an instance.
   *
   * @param options What it needs from its limiter
   */
  constructor(options: QueueOptions) {
    this.#options = options;
    // on Workers, the other callers' grants would be lost with the requesting caller's own request
    this.#asksForMany = options.asksForMany && !options.timers.endWithRequest;
  }

  /**
   * Waits in a lane until units are granted.
   *
   * @param key Identifies the lane
   * @param takes The units
   * @param ending Its signal and timeout
   * @param refusal The refusal after which it begins, `null` if nothing has been requested yet
   * @param refused Receives the refusals for which it waits
   */
  async enter(
    key: string,
    takes: readonly Take[],
    ending: Ending,
    refusal: Decision | null = null,
    refused: RefusalListener = () => {},
  ): Promise<Decision> {
    if (this.#closed !== null) throw this.#closed;
    // the time of an external refusal is unknown, so any recorded refund may be newer
    const askedAt = refusal === null ? this.#returns : Math.max(0, this.#returns - RECENT);
    const { timeoutMs, signal } = ending;
    // not a RangeError, which means a full queue
    if (
      timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 0 && timeoutMs <= LONGEST_TIMER_MS)
    ) {
      refuseOption("limiter.waitFor", "timeoutMs", `a number of ms from 0 to ${LONGEST_TIMER_MS}`, timeoutMs);
    }
    if (signal !== undefined && typeof signal?.throwIfAborted !== "function") {
      refuseOption("limiter.waitFor", "signal", "an AbortSignal", signal);
    }
    signal?.throwIfAborted();
    const began = this.#options.elapsed();
    let denied = refusal;
    if (denied === null && !this.#lanes.has(key)) {
      const asked = this.#askFirst(takes);
      // no await for a synchronous result, so that no other caller intervenes
      denied = "then" in asked ? await asked : asked;
      if (denied.allowed) {
        if (!signal?.aborted) return denied;
        this.#options.giveBack(denied);
        throw signal.reason;
      }
      assertPossible(denied);
    }
    // where requests may end undetected, the remaining callers cannot be counted
    if (this.#waiting >= this.#options.most && !this.#options.timers.endWithRequest) {
      throw new RangeError(`limiter.waitFor: the queue is full (option maxWaiting: ${this.#options.most})`);
    }
    const waiter = new Waiter(takes, this.#cancellationOf(ending), timeoutMs, began, this.#asksForMany, refused);
    waiter.askedAt = askedAt;
    return await this.#wait(key, waiter, denied);
  }

  #cancellationOf(ending: Ending): Cancellation {
    const cancellation = new Cancellation(ending, this.#options.timers);
    this.#cancellations.add(cancellation);
    // the limiter was closed while the store decided
    if (this.#closed !== null) cancellation.cancel(this.#closed);
    return cancellation;
  }

  async #wait(key: string, waiter: Waiter, denied: Decision | null): Promise<Decision> {
    let lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, lane = { waiters: new Set(), last: Promise.resolve(), refused: null });
    const isFirst = lane.waiters.size === 0;
    lane.waiters.add(waiter);
    const { refused } = lane;
    // behind callers that want more, it may be served sooner, because those may abort
    if (refused !== null && refused.kind === waiter.kind) {
      waiter.refused(refused.denied, refused.at);
      this.#endHopeless(waiter, refused.until);
    }
    // other callers may have been refused earlier
    if (isFirst) waiter.denied = denied;
    const turn = isFirst ? this.#head(lane, waiter) : this.#follow(lane, waiter, lane.last);
    // a caller that aborts must not let later callers overtake earlier callers
    lane.last = Promise.allSettled([lane.last, turn]);
    const done = () => {
      lane.waiters.delete(waiter);
      if (lane.waiters.size === 0) this.#lanes.delete(key);
    };
    turn.then(done, done);
    this.#waiting++;
    try {
      // an aborted caller is granted nothing
      return await Promise.race([waiter.granted, waiter.cancellation.promise, turn.then(() => waiter.granted)]);
    } finally {
      this.#waiting--;
      waiter.cancellation.forget();
      this.#cancellations.delete(waiter.cancellation);
    }
  }

  async #follow(lane: Lane, waiter: Waiter, ahead: Promise<unknown>): Promise<void> {
    // on Workers, the promise of an ended request rejects
    const turn = this.#options.timers.endWithRequest ? ahead.catch(() => {}) : ahead;
    await Promise.race([waiter.granted, turn, waiter.cancellation.promise]);
    await this.#head(lane, waiter);
  }

  async #head(lane: Lane, waiter: Waiter): Promise<void> {
    while (!waiter.isServed) {
      const { denied, askedAt } = waiter;
      // a refund may have arrived while the refusal was in flight, or before its turn; then nothing would wake it
      if (denied !== null && !this.#mayBeFreed(denied, askedAt)) {
        assertPossible(denied);
        await this.#sleep(lane, waiter, denied);
      }
      await this.#askFor(lane, waiter);
    }
  }

  async #sleep(lane: Lane, waiter: Waiter, denied: Decision): Promise<void> {
    const at = this.#options.elapsed();
    const until = at + leastWait(denied);
    for (const one of groupOf(lane, waiter)) {
      one.refused(denied, at);
      this.#endHopeless(one, until);
    }
    if (waiter.kind !== null) lane.refused = { kind: waiter.kind, denied, at, until };
    try {
      await this.#pause(denied, waiter.cancellation);
    } finally {
      lane.refused = null;
    }
  }

  // does not keep a caller waiting past its deadline
  #endHopeless({ cancellation, deadline, timeoutMs }: Waiter, until: number): void {
    if (until > deadline) cancellation.cancel(tooLate(timeoutMs, Math.ceil(until - this.#options.elapsed())));
  }

  // requests units for a caller and those behind it with equal requests; distributes the grants in order
  async #askFor(lane: Lane, head: Waiter): Promise<void> {
    const group = groupOf(lane, head);
    const askedAt = this.#returns;
    const asked = this.#options.ask(group.map(({ takes }) => takes));
    const decisions = "then" in asked ? await asked : asked;
    head.denied = null;
    const open = group.filter(({ cancellation }) => !cancellation.isCancelled);
    for (const decision of decisions) {
      const next = open.shift();
      if (!decision.allowed) {
        if (next === undefined) continue;
        next.denied = decision;
        next.askedAt = askedAt;
      } else if (next === undefined) this.#options.giveBack(decision);
      else next.grant(decision);
    }
    if (head.cancellation.isCancelled) await head.cancellation.promise;
  }

  // a refund may have arrived while a refusal was in flight, as above
  #askFirst(takes: readonly Take[]): Awaitable<Decision> {
    const before = this.#returns;
    const asked = this.#options.ask([takes]);
    if (!("then" in asked)) return asked[0]!;
    return asked.then(([decision]) => {
      return decision!.allowed || !this.#mayBeFreed(decision!, before) ? decision! : this.#askFirst(takes);
    });
  }

  #mayBeFreed(denied: Decision, before: number): boolean {
    if (this.#returns - before > RECENT) return true;
    for (let i = before; i < this.#returns; i++) if (frees(this.#recent[i % RECENT] ?? null, denied)) return true;
    return false;
  }

  async #pause(denied: Decision, cancellation: Cancellation): Promise<void> {
    let cancel = () => {};
    const over = new Promise<void>((resolve) => {
      cancel = this.#options.timers.start(resolve, Math.max(1, denied.retryAfterMs));
      this.#paused.set(denied, resolve);
    });
    try {
      await Promise.race([over, cancellation.promise]);
    } finally {
      cancel();
      this.#paused.delete(denied);
    }
  }

  /**
   * Wakes callers that may now get units.
   *
   * @param given The decision that was refunded; `null` for everything
   */
  wake(given: Demanded | null = null): void {
    this.#recent[this.#returns++ % RECENT] = given;
    for (const [denied, resolve] of this.#paused) if (frees(given, denied)) resolve();
  }

  /** Rejects all waiting callers. */
  close(): void {
    // no AbortController: on Workers it cannot be created outside requests, where limiters are created
    this.#closed ??= new DOMException("The limiter was closed", "AbortError");
    for (const cancellation of this.#cancellations) cancellation.cancel(this.#closed);
  }
}

// the first caller, and the next callers with equal requests
function groupOf({ waiters }: Lane, head: Waiter): Waiter[] {
  if (head.kind === null) return [head];
  const group: Waiter[] = [];
  for (const waiter of waiters) {
    // callers ahead of it have aborted, or will
    if (waiter !== head && (waiter.cancellation.isCancelled || waiter.isServed || group.length === 0)) continue;
    if (waiter.kind !== head.kind) break;
    group.push(waiter);
  }
  return group;
}

// if both share a counter; a complete refund frees every counter
function frees(given: Demanded | null, denied: Decision): boolean {
  return given === null ||
    denied.takes.some(({ policy, key }) =>
      given.takes.some((take) => take.policy.name === policy.name && take.key === key)
    );
}

/** How long a refusal lasts without a refund, in ms; a request in progress may end at any time. */
function leastWait({ takes, verdicts }: Decision): number {
  let wait = 0;
  for (const [i, { denied, retryAfterMs }] of verdicts.entries()) {
    const { policy, shadow } = takes[i]!;
    if (denied && shadow !== true && !holdsSlots(policy)) wait = Math.max(wait, retryAfterMs);
  }
  return wait;
}

function assertPossible({ retryAfterMs, takes, verdicts }: Decision): void {
  if (retryAfterMs !== Infinity) return;
  const { policy } = takes.find(({ shadow }, i) => !shadow && verdicts[i]!.retryAfterMs === Infinity)!;
  throw new RangeError(
    `limiter.waitFor: the cost is more than the limit ever grants (${capacityOf(policy)}); request less at once`,
  );
}

import { meanMs, windowAt } from "../policy/calendar_window.ts";
import { bucketsOf, capacityOf, hasDebts, paidIn, type Policy } from "../policy/policy.ts";
import type { Take, Verdict } from "../policy/store.ts";

/** A counted event. */
interface Event {
  readonly time: number;
  units: number;
  readonly stamp: number;
  /** Forces the level of a token bucket down to this many units after the event. */
  readonly emptied?: boolean;
}

/**
 * Decides takes for a key from its complete history: the algorithms' plain definitions, without optimizations.
 *
 * Nothing is summed in advance and no wait is computed: it finds a wait by checking the available units at later times.
 * It is slow on purpose, because it is the reference for stores.
 *
 * @example How an algorithm must decide
 * ```ts
 * import { ReferenceModel } from "@sluice/rate-limit/testing";
 *
 * const policy = { name: "p", algorithm: "sliding-log", limit: 1, windowMs: 1000 } as const;
 * const model = new ReferenceModel();
 * model.decide({ policy, key: "client", cost: 1 }, 0);
 * console.log(model.decide({ policy, key: "client", cost: 1 }, 400).retryAfterMs); // 600
 * ```
 */
export class ReferenceModel {
  #events: Event[] = [];
  #refusals: number[] = [];
  #refusalsEnd = 0;
  #blockedUntil = 0;
  #nextLease = 0;

  /** Units that could be granted at a given time. */
  room(policy: Policy, now: number): number {
    if (policy.algorithm === "token-bucket") return this.#tokens(policy, now);
    return policy.limit - this.#used(policy, now);
  }

  #used(policy: Policy, now: number): number {
    const { windowMs, algorithm } = policy;
    const sum = (counts: (event: Event) => boolean) =>
      this.#events.reduce((units, event) => units + (counts(event) ? event.units : 0), 0);
    switch (algorithm) {
      case "fixed-window": {
        const start = this.#windowStart(policy, now);
        // a debt has its own time, in a later window
        const end = policy.window === undefined ? start + windowMs : Infinity;
        return sum(({ time }) => time > now || time >= start && end > now);
      }
      case "sliding-window": {
        const part = Math.ceil(windowMs / bucketsOf(policy));
        const oldest = Math.floor(now / part) - bucketsOf(policy);
        return sum(({ time }) => Math.floor(time / part) >= oldest);
      }
      case "sliding-approximate": {
        const number = Math.floor(now / windowMs);
        if (hasDebts(policy)) return this.#usedWithDebts(policy, now);
        const current = sum(({ time }) => Math.floor(time / windowMs) === number);
        const previous = sum(({ time }) => Math.floor(time / windowMs) === number - 1);
        return current + Number(ceilDiv(BigInt(previous) * BigInt((number + 1) * windowMs - now), BigInt(windowMs)));
      }
      default:
        // log, and unreleased leases
        return sum(({ time }) => time + windowMs > now);
    }
  }

  // window by window: usage above the limit is carried into the next
  #usedWithDebts(policy: Policy, now: number): number {
    const { windowMs } = policy;
    const number = Math.floor(now / windowMs);
    let [previous, current, carried] = [0, 0, 0];
    const last = Math.max(...this.#events.map(({ time }) => Math.floor(time / windowMs)));
    for (let n = Math.floor((this.#events[0]?.time ?? now) / windowMs); n <= number; n++) {
      if (n > last + 2 && current === 0 && carried === 0) return 0;
      previous = Math.min(policy.limit, current);
      current = carried;
      for (const { time, units } of this.#events) if (Math.floor(time / windowMs) === n) current += units;
      carried = Math.max(0, current - policy.limit);
    }
    const left = (number + 1) * windowMs - now;
    return current + Number(ceilDiv(BigInt(previous) * BigInt(left), BigInt(windowMs)));
  }

  #windowStart({ windowMs, align, window }: Policy, now: number): number {
    if (window !== undefined) return windowAt(window, now).start;
    if (align === "clock") return Math.floor(now / windowMs) * windowMs;
    let start = -Infinity;
    for (const { time } of this.#events) if (time <= now && time >= start + windowMs) start = time;
    return start;
  }

  #tokens(policy: Policy, now: number): number {
    if (policy.limit === 0) return 0;
    const rate = BigInt(policy.limit);
    const unit = BigInt(policy.windowMs);
    const full = BigInt(capacityOf(policy)) * unit;
    let level = full;
    let at = this.#events[0]?.time ?? now;
    const fill = (until: number) => {
      const filled = level + BigInt(until - at) * rate;
      level = filled > full ? full : filled;
      at = until;
    };
    for (const { time, units, emptied } of this.#events) {
      fill(time);
      if (emptied && level > 0n) level = 0n;
      level -= BigInt(units) * unit;
    }
    fill(now);
    return Number(level >= 0n ? level / unit : -ceilDiv(-level, unit));
  }

  /** Decides one take, and applies the side effects of a refusal. */
  decide({ policy, cost }: Take, now: number): Verdict {
    if (hasDebts(policy)) this.#pay(policy, now);
    const capacity = capacityOf(policy);
    const wasBlocked = this.#blockedUntil > now;
    const fits = !wasBlocked && (cost === 0 || this.room(policy, now) >= cost);
    let stamp = 0;
    if (fits && cost > 0) stamp = this.#count(policy, now, cost);
    if (!fits && !wasBlocked && cost > 0) this.#refuse(policy, now, cost);
    const blockedMs = Math.max(0, this.#blockedUntil - now);
    const remaining = blockedMs > 0 ? 0 : Math.max(0, this.room(policy, now));
    const denied = !fits && cost > 0;
    const wait = (units: number) => Math.max(blockedMs, this.#told(policy, now, units));
    return {
      granted: fits ? cost : 0,
      denied,
      limit: capacity,
      remaining,
      retryAfterMs: !denied ? 0 : cost > capacity ? Infinity : wait(cost),
      nextMs: remaining >= capacity ? 0 : wait(remaining + 1),
      resetMs: wait(capacity),
      blocked: blockedMs > 0,
      stamp,
    };
  }

  #count(policy: Policy, now: number, units: number): number {
    // leases have numbers; otherwise an event's own time is its stamp
    const stamp = policy.algorithm === "concurrency" ? ++this.#nextLease : now;
    this.#events.push({ time: now, units, stamp });
    return stamp;
  }

  /** Undoes a grant as if it had never happened, where the definition allows it. */
  give(policy: Policy, now: number, stamp: number, units: number): void {
    const event = this.#events.find((one) => one.stamp === stamp && one.units > 0);
    if (event === undefined || now !== event.time && policy.algorithm === "token-bucket") return;
    event.units = Math.max(0, event.units - units);
    this.#events = this.#events.filter((one) => one.units > 0 || one.emptied);
  }

  /**
   * Corrects a grant to its actual cost.
   *
   * @param stamp The stamp of the grant
   * @param change Units to add, one by one, up to the policy's `maxDebt`; or, below 0, to refund
   * @returns The actual change in counted units
   */
  settle(policy: Policy, now: number, stamp: number, change: number): number {
    if (change <= 0) {
      for (let unit = 0; unit > change; unit--) this.give(policy, now, stamp, 1);
      this.#pay(policy, now);
      return change;
    }
    let counted = 0;
    while (counted < change && this.room(policy, now) > -policy.maxDebt!) {
      this.#owe(policy, now);
      counted++;
    }
    return counted;
  }

  // the units owed by now, under the current policy
  #pay(policy: Policy, now: number): void {
    const owed = this.#events.filter(({ time }) => time > now);
    if (owed.length === 0) return;
    this.#events = this.#events.filter(({ time }) => time <= now);
    for (const { units } of owed) for (let unit = 0; unit < units; unit++) this.#owe(policy, now);
  }

  // one unit, as if it had waited until it fit; buckets and weighted windows support debts themselves
  #owe(policy: Policy, now: number): void {
    const { algorithm } = policy;
    const owesByItself = algorithm === "token-bucket" || algorithm === "sliding-approximate";
    const paid = { ...policy, limit: paidIn(policy) };
    const time = owesByItself ? now : now + this.#search(paid, now, (room) => room >= 1);
    this.#events.push({ time, units: 1, stamp: -1 });
  }

  #refuse(policy: Policy, now: number, cost: number): void {
    const capacity = capacityOf(policy);
    if (policy.onDenied === "charge") {
      const debt = Math.min(cost, Math.max(0, capacity + this.room(policy, now)));
      if (debt > 0) this.#events.push({ time: now, units: debt, stamp: -1 });
    } else if (policy.onDenied === "extend") this.#extend(policy, now);
    if (policy.block === undefined) return;
    if (this.#refusalsEnd <= now) {
      this.#refusals = [];
      this.#refusalsEnd = now + policy.windowMs;
    }
    this.#refusals.push(now);
    if (this.#refusals.length < policy.block.after) return;
    this.#refusals = [];
    this.#refusalsEnd = 0;
    this.#blockedUntil = now + policy.block.forMs;
  }

  #extend(policy: Policy, now: number): void {
    if (policy.algorithm === "token-bucket") {
      this.#events.push({ time: now, units: 0, stamp: -1, emptied: true });
      return;
    }
    const units = policy.algorithm === "sliding-approximate" ? this.#bothWindows(policy, now) : this.#used(policy, now);
    this.#events = units > 0 ? [{ time: now, units, stamp: now }] : [];
  }

  #bothWindows({ windowMs }: Policy, now: number): number {
    const oldest = Math.floor(now / windowMs) - 1;
    return this.#events.reduce((sum, { time, units }) => sum + (Math.floor(time / windowMs) >= oldest ? units : 0), 0);
  }

  // available units never shrink without takes, so bisection finds the first moment with enough of them
  #search(policy: Policy, now: number, enough: (room: number) => boolean): number {
    if (enough(this.room(policy, now))) return 0;
    if (policy.window !== undefined) {
      let { end } = windowAt(policy.window, now);
      while (!enough(this.room(policy, end))) ({ end } = windowAt(policy.window, end));
      return end - now;
    }
    let high = 1;
    while (!enough(this.room(policy, now + high))) {
      high *= 2;
      if (high > 2 ** 45) return Infinity;
    }
    let low = Math.floor(high / 2);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (enough(this.room(policy, now + middle))) high = middle;
      else low = middle;
    }
    return high;
  }

  // by definition, waits beyond the next window use the mean window length plus an eighth
  #told(policy: Policy, now: number, units: number): number {
    const { window } = policy;
    const ms = this.#search(policy, now, (room) => room >= units);
    if (window === undefined || ms === 0) return ms;
    const { next } = windowAt(window, now);
    if (now + ms <= next) return ms;
    let windows = 0;
    for (let edge = next; edge < now + ms; edge = windowAt(window, edge).end) windows++;
    return next - now + windows * meanMs(window) + meanMs(window) / 8;
  }

  /** Drops events that no longer matter, to keep long runs bearable. */
  forget(policy: Policy, now: number): void {
    if (this.#events.length < 64 || this.#search(policy, now, (room) => room >= capacityOf(policy)) > 0) return;
    this.#events = [];
  }
}

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

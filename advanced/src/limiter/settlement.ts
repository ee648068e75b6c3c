import { checkInteger } from "@sluice/shared";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import { hasDebts } from "../policy/policy.ts";
import type { Awaitable, Take, Verdict } from "../policy/store.ts";
import type { DecidedBy } from "../wrappers/failure_policy.ts";
import { whenAll } from "./when_all.ts";

/** The parts of a decision that a settlement uses. */
export interface Settleable {
  /** The takes. */
  readonly takes: readonly Take[];
  /** The results. */
  verdicts: readonly Verdict[];
  /** Whether it was granted. */
  readonly allowed: boolean;
  readonly decidedBy: DecidedBy;
}

/** The limiter methods that a settlement uses. */
export interface Settling {
  /**
   * Changes the counted units of one take.
   *
   * @param change Units to add, or, below 0, to refund
   * @returns The state afterwards, as from a store's `settle`; `null` if the store could not be reached
   */
  settle(take: Take, stamp: number, change: number, by: DecidedBy): Awaitable<Verdict | null>;
  /** Records that a decision's units were refunded. */
  returned(decision: Settleable, units: number): void;
  /** Records that part of a decision's final cost was not counted, because `maxDebt` allows no more. */
  forgave(decision: Settleable, units: number): void;
}

/** Only decisions by limiters with debts have one, so other decisions have no overhead. */
const settlements = new WeakMap<Settleable, Settlement>();

/** Makes a decision settleable. */
export function allowSettlement(decision: Settleable, settling: Settling): void {
  settlements.set(decision, new Settlement(decision, settling));
}

/**
 * Returns a decision's settlement.
 *
 * @param method The method that needs it
 * @throws {TypeError} If it cannot be settled
 */
export function settlementOf(decision: Settleable, method: string): Settlement {
  const settlement = settlements.get(decision);
  if (settlement !== undefined) return settlement;
  if (!decision.allowed) {
    throw new TypeError(
      `decision.${method}: the decision was a refusal, so nothing was consumed; check decision.allowed first`,
    );
  }
  throw new TypeError(
    `decision.${method}: no limit of this decision can be settled; give one option maxDebt, and settle what check or ` +
      "waitFor returned",
  );
}

/**
 * Ends a decision's settlement, if it has one, before a refund.
 *
 * @returns Whether a refund is allowed: nothing was charged or settled
 */
export function endSettlement(decision: Settleable): boolean {
  return settlements.get(decision)?.end() ?? true;
}

/**
 * Replaces a decision's estimate with its actual cost. Calls are serialized.
 *
 * Only limits with `maxDebt` are settled; other limits keep what they counted.
 */
export class Settlement {
  readonly #decision: Settleable;
  readonly #settling: Settling;
  /** Cost charged so far. */
  #used = 0;
  /** Total cost reported so far. */
  #known = 0;
  #isOver = false;
  /** The call waiting for a store, `null` if no call is. */
  #last: Promise<unknown> | null = null;

  constructor(decision: Settleable, settling: Settling) {
    this.#decision = decision;
    this.#settling = settling;
  }

  charge(units: number): Awaitable<boolean> {
    checkInteger("decision.charge", "units", units, 0, MAX_LIMIT);
    if (this.#isOver) return false;
    this.#used += units;
    return this.#countTold();
  }

  /** Counts the total cost so far, unless it is below the estimate. */
  reach(total: number): Awaitable<boolean> {
    if (this.#isOver || total <= this.#known) return false;
    this.#known = total;
    return this.#countTold();
  }

  /** The cost so far, from either source. */
  get #told(): number {
    return Math.max(this.#used, this.#known);
  }

  #countTold(): Awaitable<boolean> {
    const told = Math.min(MAX_LIMIT, this.#told);
    return this.#inTurn(() => this.#count(told, false));
  }

  settle(actual: number): Awaitable<boolean> {
    checkInteger("decision.settle", "actual", actual, 0, MAX_LIMIT);
    if (this.#isOver) return false;
    if (actual < this.#told) {
      throw new RangeError(
        `decision.settle: the actual cost (${actual}) is less than what was already charged (${this.#told}); ` +
          "charge only what has been used",
      );
    }
    this.#isOver = true;
    return this.#inTurn(() => this.#count(actual, true));
  }

  end(): boolean {
    if (this.#isOver || this.#told > 0) return false;
    return this.#isOver = true;
  }

  #inTurn(count: () => Awaitable<boolean>): Awaitable<boolean> {
    const counted = this.#last === null ? count() : this.#last.then(count);
    if (typeof counted === "boolean") return counted;
    const last = Promise.resolve(counted).finally(() => {
      if (this.#last === last) this.#last = null;
    });
    return this.#last = last;
  }

  /** Adjusts the counted units to the used units. While the request runs, it only adds units. */
  #count(used: number, isExact: boolean): Awaitable<boolean> {
    const { takes, verdicts, decidedBy } = this.#decision;
    const changes = verdicts.map(({ granted, denied }, i) => {
      // a shadow limit that would have refused has counted nothing
      if (!hasDebts(takes[i]!.policy) || denied) return 0;
      return isExact ? used - granted : Math.max(0, used - granted);
    });
    const settled = changes.map((change, i) =>
      change === 0 ? null : this.#settling.settle(takes[i]!, verdicts[i]!.stamp, change, decidedBy)
    );
    return whenAll(settled, (states) => {
      this.#decision.verdicts = verdicts.map((verdict, i) => correctedBy(verdict, states[i]!));
      const returned = states.reduce((sum, state) => sum + Math.max(0, -(state?.granted ?? 0)), 0);
      if (returned > 0) this.#settling.returned(this.#decision, returned);
      // while a request runs, the caller of `charge` may charge it later
      const missing = (change: number, i: number) => change > 0 && states[i] !== null ? change - states[i]!.granted : 0;
      const forgiven = isExact ? Math.max(...changes.map(missing)) : 0;
      if (forgiven > 0) this.#settling.forgave(this.#decision, forgiven);
      return changes.every((change, i) => change === (states[i]?.granted ?? 0));
    });
  }
}

function correctedBy(verdict: Verdict, state: Verdict | null): Verdict {
  return state === null ? verdict : { ...state, granted: verdict.granted + state.granted, stamp: verdict.stamp };
}

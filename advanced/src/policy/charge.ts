import type { Verdict } from "./store.ts";

/** What a refusal took all the same: a counter that counts before it knows keeps the hits it refuses. */
export interface Charge {
  /** Units, which `give` gives back. */
  readonly units: number;
  /** The stamp to give them back with. */
  readonly stamp: number;
}

// beside the verdicts, so that a copy bears no charge: what is told from memory, or to others, has taken nothing
const charges = new WeakMap<Verdict, Charge>();

/** Notes what a refusal took. */
export function setCharge(refusal: Verdict, charge: Charge): void {
  charges.set(refusal, charge);
}

/** What a refusal took, `undefined` for nothing. */
export function chargeOf(refusal: Verdict): Charge | undefined {
  return charges.get(refusal);
}

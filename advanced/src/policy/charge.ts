import type { Verdict } from "./store.ts";

/** The units a refusal consumed: a counter that counts before it decides keeps the hits it refuses. */
export interface Charge {
  /** Units, which `give` can refund. */
  readonly units: number;
  /** The stamp to refund them with. */
  readonly stamp: number;
}

// separate from the verdicts, so that copies carry no charge: a cached or shared refusal has consumed nothing
const charges = new WeakMap<Verdict, Charge>();

/** Records the units a refusal consumed. */
export function setCharge(refusal: Verdict, charge: Charge): void {
  charges.set(refusal, charge);
}

/** The units a refusal consumed, or `undefined` if it consumed none. */
export function chargeOf(refusal: Verdict): Charge | undefined {
  return charges.get(refusal);
}

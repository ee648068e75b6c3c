import { type AlgorithmName, holdsSlots, type Policy } from "../../policy/policy.ts";
import type { ContractRun } from "./contract_run.ts";

/** The policies for a property. */
export interface PolicyRange {
  /** Whether `onDenied` and `block` may be set; without them, a refusal is free. */
  readonly consequences?: boolean;
  /** The lowest limit, 0 by default. */
  readonly leastLimit?: number;
  /** Whether `maxDebt` is set, and possibly `block`. */
  readonly debts?: boolean;
}

const LIMITS = [0, 1, 2, 3, 10, 7, 20];
const WINDOWS = [1, 2, 7, 10, 100, 1000, 997, 2500];

/**
 * Creates a random policy that the store supports, with a unique name. Options that the store rejects with a
 * `TypeError` are omitted.
 *
 * @param run The test
 * @param algorithm One of the store's algorithms
 * @param range Which policies
 */
export async function randomPolicy(
  run: ContractRun,
  algorithm: AlgorithmName,
  range: PolicyRange = {},
): Promise<Policy> {
  const limit = Math.max(range.leastLimit ?? 0, run.oneOf(LIMITS));
  const plain: Policy = { name: run.name(), algorithm, limit, windowMs: run.oneOf(WINDOWS) };
  const shaped: Policy = { ...plain, ...shapeOf(run, algorithm) };
  if (range.debts === true) return await withDebts(run, plain, shaped);
  const full: Policy = range.consequences === true ? { ...shaped, ...consequencesOf(run, shaped) } : shaped;
  run.begin(full);
  for (const policy of [full, shaped]) if (await run.serves(policy)) return policy;
  run.begin(plain);
  run.check(await run.serves(plain), "an algorithm that is declared is served", "verdicts", "TypeError");
  return plain;
}

async function withDebts(run: ContractRun, plain: Policy, shaped: Policy): Promise<Policy> {
  const maxDebt = run.oneOf([0, 1, 5, 12, 40]);
  const block = run.pick(6) === 0 ? { block: { after: 1 + run.pick(4), forMs: 1 + run.pick(plain.windowMs * 2) } } : {};
  for (const one of [{ ...shaped, ...block }, shaped, plain]) {
    const policy = { ...one, maxDebt };
    run.begin(policy);
    if (await run.serves(policy)) return policy;
  }
  run.check(false, "a store that settles serves maxDebt", "verdicts", "TypeError");
  return plain;
}

function shapeOf({ pick }: ContractRun, algorithm: AlgorithmName): Partial<Policy> {
  if (algorithm === "token-bucket" && pick(2) === 0) return { burst: 1 + pick(20) };
  if (algorithm === "sliding-window" && pick(2) === 0) return { buckets: 1 + pick(12) };
  if (algorithm === "fixed-window" && pick(3) === 0) return { align: "clock" };
  return {};
}

function consequencesOf({ pick, capabilities }: ContractRun, policy: Policy): Partial<Policy> {
  const { algorithm, align, windowMs } = policy;
  const what = pick(6);
  // if a store's refusals write anyway, their cost is up to the store
  const mayCharge = !holdsSlots({ algorithm }) && capabilities.exactDeny;
  const block = pick(5) === 0 ? { block: { after: 1 + pick(4), forMs: 1 + pick(windowMs * 2) } } : {};
  if (mayCharge && what === 0) return { ...block, onDenied: "charge" };
  if (mayCharge && what === 1 && align !== "clock") return { ...block, onDenied: "extend" };
  return block;
}

/** Moves the clock by an interesting amount: often not at all, or to an exact boundary. */
export function randomAdvance(
  run: ContractRun,
  policy: Policy,
  last: { retryAfterMs: number; nextMs: number; resetMs: number },
): void {
  const { pick } = run;
  const { windowMs } = policy;
  const edges = [last.retryAfterMs, last.nextMs, last.resetMs, windowMs].filter((ms) => ms > 0 && ms !== Infinity);
  const choice = pick(12);
  let ms = 0;
  if (choice < 2) ms = pick(windowMs + 3);
  else if (choice < 4) ms = pick(3);
  else if (choice === 4) ms = edges.length > 0 ? run.oneOf(edges) : 0;
  else if (choice === 5) ms = edges.length > 0 ? run.oneOf(edges) - 1 : 0;
  else if (choice === 6 && pick(8) === 0) ms = windowMs * 3;
  if (ms > 0) run.advance(ms);
}

/** Returns a random cost: mostly 1, occasionally 0, all units left, or one more. */
export function randomCost(run: ContractRun, left: number): number {
  return run.oneOf([1, 1, 1, 2, 0, 3, run.pick(25), left, left + 1]);
}

import { decideBatch, giveTake, settleTake } from "../algorithms/decide_batch.ts";
import type { Policy } from "../policy/policy.ts";
import type { Take, Verdict } from "../policy/store.ts";
import { decodeState, encodeState, isChanged, recordExpiry, shapeOf } from "./state_record.ts";

/** One partition's states by name: a `Map`, or any object that writes them through to storage. */
export interface StateRecords {
  /** Reads a record. */
  get(name: string): Float64Array | undefined;
  /** Writes a record. */
  set(name: string, record: Float64Array): unknown;
  /** Deletes a record. Returns whether there was one. */
  delete(name: string): boolean;
  /** Lists the names. */
  keys(): Iterable<string>;
}

// a shape has one slash, so a policy name may contain any number of them
function nameOf(policy: Policy): string {
  return `${shapeOf(policy)}/${policy.name}`;
}

/**
 * Decides the takes on one key, on the records in its partition.
 *
 * @param records The partition's records; changed ones are written
 * @param takes The takes
 * @param times How often they are requested
 * @param now The partition's time in ms
 * @returns The verdicts
 */
export function decideIn(records: StateRecords, takes: readonly Take[], times: number, now: number): Verdict[] {
  const states = takes.map(({ policy }) => decodeState(policy, records.get(nameOf(policy)) ?? null, now));
  const verdicts = decideBatch(takes, states, times, now);
  states.forEach((state, i) => {
    if (isChanged(state)) keep(records, takes[i]!.policy, encodeState(takes[i]!.policy, state, now));
  });
  return verdicts;
}

/**
 * Refunds units on a partition's records.
 *
 * @returns Whether anything changed
 */
export function giveIn(records: StateRecords, take: Take, stamp: number, amount: number, now: number): boolean {
  const { policy } = take;
  const record = records.get(nameOf(policy));
  if (record === undefined) return false;
  const state = decodeState(policy, record, now);
  if (!giveTake(take, state, stamp, amount, now)) return false;
  keep(records, policy, encodeState(policy, state, now));
  return true;
}

/** Corrects a grant to its actual cost, on a partition's records. */
export function settleIn(records: StateRecords, take: Take, stamp: number, change: number, now: number): Verdict {
  const { policy } = take;
  const state = decodeState(policy, records.get(nameOf(policy)) ?? null, now);
  const verdict = settleTake(take, state, stamp, change, now);
  if (isChanged(state)) keep(records, policy, encodeState(policy, state, now));
  return verdict;
}

function keep(records: StateRecords, policy: Policy, record: Float64Array | null): void {
  if (record === null) records.delete(nameOf(policy));
  else records.set(nameOf(policy), record);
}

/**
 * Reads the record for a policy in a partition.
 *
 * @returns The verdict for cost 0, `null` if there is no record in use
 */
export function inspectIn(records: StateRecords, policy: Policy, key: string, now: number): Verdict | null {
  const record = records.get(nameOf(policy));
  if (record === undefined || recordExpiry(record) <= now) return null;
  // on a copy: the listed policy may have a shorter window than the key's own
  return decideIn(new Map([[nameOf(policy), record]]), [{ policy, key, cost: 0 }], 1, now)[0]!;
}

/**
 * Forgets the records for a policy in a partition.
 *
 * @returns 1 if there was one in use, otherwise 0
 */
export function resetIn(records: StateRecords, policy: string, now: number): number {
  let inUse = 0;
  for (const name of [...records.keys()]) {
    if (name.split("/").slice(2).join("/") !== policy) continue;
    if (recordExpiry(records.get(name)!) > now) inUse = 1;
    records.delete(name);
  }
  return inUse;
}

/**
 * Deletes expired records from a `fromExclusive` partition. The store has no timers, so records for clients that do not
 * return would remain. A partition without records can be dropped.
 *
 * @param records The partition's records
 * @param now The partition's time in ms
 * @returns When the last remaining record expires, 0 if there are none
 * @example Once a minute
 * ```ts ignore
 * import { dropExpired } from "@sluice/rate-limit";
 *
 * const partitions = new Map<string, Map<string, Float64Array>>();
 * setInterval(() => {
 *   for (const [key, records] of partitions) if (dropExpired(records, Date.now()) === 0) partitions.delete(key);
 * }, 60_000);
 * ```
 */
export function dropExpired(records: StateRecords, now: number): number {
  let latest = 0;
  for (const name of [...records.keys()]) {
    const expiry = recordExpiry(records.get(name)!);
    if (expiry <= now) records.delete(name);
    else latest = Math.max(latest, expiry);
  }
  return latest;
}

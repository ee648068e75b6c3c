import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/sluice/limiting";
import { decideBatch } from "../algorithms/decide_batch.ts";
import { ALGORITHM_NAMES, type Policy } from "../policy/policy.ts";
import { assertDistinct } from "./assert_distinct.ts";
import { decideByKey } from "./decide_by_key.ts";
import { checkScope } from "./check_scope.ts";
import { decodeState, encodeState, isChanged, recordExpiry, shapeOf } from "./state_record.ts";
import type { Awaitable, Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";

/** The states of one partition by name: a `Map`, or anything that writes through to where they are kept. */
export interface StateRecords {
  /** Reads a record. */
  get(name: string): Float64Array | undefined;
  /** Writes a record. */
  set(name: string, record: Float64Array): unknown;
  /** Deletes a record; tells whether there was one. */
  delete(name: string): boolean;
  /** Lists the names. */
  keys(): Iterable<string>;
}

/**
 * Runs a body with exclusive access to the states of a partition.
 *
 * The body is synchronous; what it wrote must be stored before the next body runs. `now` is the time of the partition
 * in whole ms, which must never go back.
 */
export type RunExclusive = <T>(
  partition: string,
  body: (records: StateRecords, now: number) => T,
) => Awaitable<T>;

/** Options of {@linkcode fromExclusive}. */
export interface ExclusiveOptions {
  /** Who shares the partitions, `"global"` by default. */
  scope?: Capabilities["scope"];
  /** Whose time `run` tells, `"store"` by default. */
  clock?: Capabilities["clock"];
  /** Lists the partitions that have states; without it, there is no `inspect`, and `reset` needs a key. */
  partitions?: () => Iterable<string> | AsyncIterable<string>;
}

const NAMES: OptionNames<ExclusiveOptions> = { scope: true, clock: true, partitions: true };

/**
 * Keeps counters wherever a function can get exclusive access to a key's states, as with an actor, a lock or a mutex:
 * every algorithm. The key is the partition.
 *
 * Takes of one key are decided as one. Those of several keys are decided concurrently, and what was granted is given
 * back if another key refused: for a moment, such a batch holds more than it gets.
 *
 * @param run Gives exclusive access
 * @param options Scope, clock and partitions
 * @returns The store; its `reset` rejects with a `TypeError` when it would need `partitions` and there are none
 * @throws {TypeError} If an option is unknown
 */
export function fromExclusive(run: RunExclusive, options: ExclusiveOptions = {}): Store {
  checkNames("fromExclusive", options, NAMES);
  const { scope = "global", clock = "store", partitions } = options;
  if (typeof run !== "function") refuseOption("fromExclusive", "run", "a function", run);
  checkScope(scope, "fromExclusive");
  if (clock !== "store" && clock !== "process") {
    refuseOption("fromExclusive", "clock", '"store" or "process"', clock);
  }
  checkType("fromExclusive", "partitions", partitions, "function");
  const decide = (takes: readonly Take[], times: number) =>
    run(takes[0]!.key, (records, now) => decideIn(records, takes, times, now));
  const give = (take: Take, stamp: number, amount: number) =>
    run(take.key, (records, now) => giveIn(records, take, stamp, amount, now));
  const store: Store = {
    capabilities: { algorithms: new Set(ALGORITHM_NAMES), atomicBatch: "same-key", exactDeny: true, scope, clock },
    decide(takes, times = 1) {
      assertDistinct(takes);
      const [first] = takes;
      if (takes.every(({ key }) => key === first!.key)) return first === undefined ? [] : decide(takes, times);
      return decideByKey(takes, times, decide, give);
    },
    give,
    reset: (selector) => resetPartitions(run, partitions, selector),
  };
  if (partitions !== undefined) store.inspect = (policy) => inspectPartitions(run, partitions, policy);
  return store;
}

async function resetPartitions(
  run: RunExclusive,
  partitions: ExclusiveOptions["partitions"],
  { policy, key }: Selector,
): Promise<number> {
  if (key !== undefined) return await run(key, (records, now) => resetIn(records, policy, now));
  if (partitions === undefined) {
    throw new TypeError(`store.reset: this store can't list the keys of policy "${policy}"; name a key`);
  }
  let count = 0;
  for (const partition of await allOf(partitions)) {
    count += await run(partition, (records, now) => resetIn(records, policy, now));
  }
  return count;
}

// before anything is done to them: those that go and come again meanwhile might be listed without end
async function allOf(partitions: NonNullable<ExclusiveOptions["partitions"]>): Promise<ReadonlySet<string>> {
  const all = new Set<string>();
  for await (const partition of partitions()) all.add(partition);
  return all;
}

async function* inspectPartitions(
  run: RunExclusive,
  partitions: NonNullable<ExclusiveOptions["partitions"]>,
  policy: Policy,
): AsyncGenerator<Entry> {
  for (const key of await allOf(partitions)) {
    const verdict = await run(key, (records, now) => {
      if (recordExpiry(records.get(nameOf(policy)) ?? new Float64Array(1)) <= now) return null;
      return decideIn(records, [{ policy, key, cost: 0 }], 1, now)[0]!;
    });
    if (verdict !== null) yield { key, verdict };
  }
}

// a shape has one slash, so a policy's name may have any number of them
function nameOf(policy: Policy): string {
  return `${shapeOf(policy)}/${policy.name}`;
}

/**
 * Decides the takes of one key on the records of its partition.
 *
 * @param records The partition's records; those that changed are written
 * @param takes The takes
 * @param times How often they are wanted
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
 * Gives units back on the records of a partition.
 *
 * @returns Whether anything changed
 */
export function giveIn(records: StateRecords, { policy }: Take, stamp: number, amount: number, now: number): boolean {
  const record = records.get(nameOf(policy));
  if (record === undefined) return false;
  const state = decodeState(policy, record, now);
  if (!state.algorithm.give(policy, state.cells, now, stamp, amount)) return false;
  keep(records, policy, encodeState(policy, state, now));
  return true;
}

function keep(records: StateRecords, policy: Policy, record: Float64Array | null): void {
  if (record === null) records.delete(nameOf(policy));
  else records.set(nameOf(policy), record);
}

/**
 * Forgets a policy's records in a partition.
 *
 * @returns 1 when there was one in use, 0 otherwise
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
 * Deletes the expired records of a partition. It is not called automatically: the owner of the partition calls it, by a
 * timer or before it releases the partition.
 *
 * @returns When the last of the rest will have expired, 0 when there is none
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

import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import { ALGORITHM_NAMES, type Policy } from "../policy/policy.ts";
import { assertDistinct } from "./assert_distinct.ts";
import { decideByKey } from "./decide_by_key.ts";
import { checkScope } from "./check_scope.ts";
import { decideIn, giveIn, inspectIn, resetIn, settleIn, type StateRecords } from "./partition_records.ts";
import type { Awaitable, Capabilities, Entry, Selector, Store, Take } from "../policy/store.ts";

/**
 * Runs a body with exclusive access to a partition's states.
 *
 * The body is synchronous. Its writes must be stored before the next body runs. `now` is the partition's time in whole
 * ms, which must never go back.
 */
export type RunExclusive = <T>(
  partition: string,
  body: (records: StateRecords, now: number) => T,
) => Awaitable<T>;

/**
 * Options for {@linkcode fromExclusive}.
 *
 * @example States that can be listed
 * ```ts
 * import { fromExclusive, Limiter, type StateRecords } from "@sluice/rate-limit";
 *
 * const states = new Map<string, StateRecords>();
 * const store = fromExclusive((key, body) => {
 *   const records: StateRecords = states.get(key) ?? new Map();
 *   states.set(key, records);
 *   return body(records, Date.now());
 * }, { scope: "process", clock: "process", partitions: () => states.keys() });
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 10, store });
 * console.log((await limiter.consume("client")).remaining); // 9
 * ```
 */
export interface ExclusiveOptions {
  /** The partitions' scope, `"global"` by default. */
  scope?: Capabilities["scope"];
  /** Whose clock `run` passes, `"store"` by default. */
  clock?: Capabilities["clock"];
  /** Lists the partitions that have states. Without it, there is no `inspect`, and `reset` needs a key. */
  partitions?: () => Iterable<string> | AsyncIterable<string>;
}

const NAMES: OptionNames<ExclusiveOptions> = { scope: true, clock: true, partitions: true };

/**
 * A store on anything that gives a function exclusive access to a key's states, such as an actor, a lock or a mutex.
 * Supports all algorithms. The key is the partition.
 *
 * Takes on one key are decided atomically. Several keys are decided concurrently, and grants are refunded if another
 * key refused: for a moment, such a batch holds more than it is granted.
 *
 * Expired records remain until {@linkcode dropExpired} deletes them, from a timer or before the records are stored.
 *
 * @param run Gives exclusive access
 * @param options Scope, clock and partitions
 * @returns The store; its `reset` rejects with a `TypeError` if it needs `partitions` and they are missing
 * @throws {TypeError} If an option is unknown
 *
 * @example Counters in an actor
 * ```ts
 * import { fromExclusive, Limiter, type StateRecords } from "@sluice/rate-limit";
 *
 * const states = new Map<string, StateRecords>();
 * const store = fromExclusive((key, body) => {
 *   const records: StateRecords = states.get(key) ?? new Map();
 *   states.set(key, records);
 *   return body(records, Date.now());
 * });
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 10, store });
 * console.log((await limiter.consume("client")).remaining); // 9
 * ```
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
    settle: (take, stamp, change) => run(take.key, (records, now) => settleIn(records, take, stamp, change, now)),
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

// collected first: partitions that disappear and reappear during the iteration might be listed endlessly
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
    const verdict = await run(key, (records, now) => inspectIn(records, policy, key, now));
    if (verdict !== null) yield { key, verdict };
  }
}

import { windowsFollowTheCalendar } from "./contract/calendar.ts";
import { checkNames, type OptionNames } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import type { Store } from "../policy/store.ts";
import { saysWhatTheModelSays } from "./contract/agreement.ts";
import {
  aBatchIsGrantedAsAWholeOrNotAtAll,
  aBatchThatAsksOneCounterTwiceIsRefused,
  aShadowNeverVetoes,
  decideEachIsDecidingOneByOne,
  severalTimesAtOnceEqualOneAfterTheOther,
} from "./contract/batches.ts";
import {
  aChangeForSomeKeysLeavesTheOthersAlone,
  aChangeKeepsWhatIsUsed,
  aShorterWindowKeepsNobodyOutForLonger,
} from "./contract/changes.ts";
import { ContractRun } from "./contract/contract_run.ts";
import {
  aKeyRefusedTooOftenIsBlocked,
  countsByTheClockItIsGiven,
  inspectListsTheKeysInUse,
  keysThatLookAlikeAreCountedApart,
  resetForgetsOneKeyOrAllOfAPolicy,
} from "./contract/keys.ts";
import {
  remainingIsWhatWouldBeGranted,
  remainingMovesByTakesAndTimeAlone,
  retryMsIsWhenTheCostFits,
} from "./contract/promises.ts";
import {
  aFreeRefusalChangesNothing,
  aStaleStampGivesNothingBack,
  whatIsGivenBackWasNeverTaken,
} from "./contract/refunds.ts";
import {
  aClockThatGoesBackNeverRaisesRemaining,
  grantsNoMoreThanTheBound,
  parallelTakesAdmitWhatSerialOnesDo,
} from "./contract/safety.ts";
import {
  aRaisedLimitHasRoomForDebts,
  settledAtOnceCountTheSum,
  settlesByTheCalendar,
  settlesByWhatWasUsed,
} from "./contract/settling.ts";
import {
  outcomesAdmitWhoWaits,
  outcomesAreOfSingleUnits,
  outcomesFollowTheClock,
  outcomesKeepTheBound,
  outcomesOfKeysThatLookAlike,
  outcomesOfParallelTakes,
  outcomesOfSeveralTimesAtOnce,
  outcomesOfShadows,
} from "./contract/outcomes.ts";
import { seededRandom } from "./seeded_random.ts";
import { VirtualClock } from "./virtual_clock.ts";

/** A store created for one test. */
export interface ContractStore {
  /** The store. */
  readonly store: Store;
  /** Cleans up after a passed or failed test. */
  dispose?(): Promise<void>;
}

/** The store under test. */
export interface ContractSubject {
  /** Its name in the tests. */
  readonly name: string;
  /**
   * Creates an empty store.
   *
   * @param clock The clock the store must use: `clock.read` returns the time in ms
   */
  make(clock: VirtualClock): Promise<ContractStore>;
  /**
   * The one policy that an `outcomeOnly` store serves, as configured, even under other names. Other stores need no
   * policy.
   */
  readonly policy?: Policy;
}

/**
 * Registers a test: `Deno.test`, `test` from `node:test` or `bun:test`, a test runner's `it`, or a similar function.
 */
export type RegisterTest = (name: string, body: () => Promise<void>) => void;

/**
 * Options for {@linkcode storeContract}.
 *
 * @example More operations than usual, with another seed
 * ```ts ignore
 * import { MemoryStore } from "@sluice/rate-limit";
 * import { storeContract } from "@sluice/rate-limit/testing";
 *
 * const make = (clock: () => number) => Promise.resolve({ store: new MemoryStore({ clock }) });
 * storeContract({ name: "MyStore", make: ({ read }) => make(read) }, Deno.test, { operations: 10_000, seed: 7 });
 * ```
 */
export interface StoreContractOptions {
  /** Approximate number of operations per algorithm, over all random tests; 2 000 by default. */
  operations?: number;
  /** Random seed, 1 by default. The same seed repeats the same operations. */
  seed?: number;
  /** Properties the store is known to lack: the sentence for each, and the reason. They are not tested. */
  except?: Readonly<Record<string, string>>;
}

const NAMES: OptionNames<StoreContractOptions> = { operations: true, seed: true, except: true };

/** A property: its sentence, its share of the operations, and its test. */
interface Property {
  readonly sentence: string;
  readonly share: number;
  readonly hold: (run: ContractRun, operations: number) => Promise<void>;
  /** The equivalent for an outcome-only store, where there is one. */
  readonly ofOutcomes?: (run: ContractRun, policy: Policy, operations: number) => Promise<void>;
}

/** Minimum number of operations in every random test. */
const LEAST = 480;

const PROPERTIES: readonly Property[] = [
  {
    sentence: "counts by the clock it is given",
    share: 0,
    hold: countsByTheClockItIsGiven,
    ofOutcomes: outcomesFollowTheClock,
  },
  {
    sentence: "grants no more in any interval of one window than the algorithm's bound",
    share: 0.16,
    hold: grantsNoMoreThanTheBound,
    ofOutcomes: outcomesKeepTheBound,
  },
  {
    sentence: "admits who waits as long as retryAfterMs says, to the ms, and at the header's whole second",
    share: 0.12,
    hold: retryMsIsWhenTheCostFits,
    ofOutcomes: outcomesAdmitWhoWaits,
  },
  { sentence: "grants as many as remaining says, and not one more", share: 0.06, hold: remainingIsWhatWouldBeGranted },
  {
    sentence: "lowers remaining by takes alone, and raises it at nextMs and resetMs",
    share: 0.06,
    hold: remainingMovesByTakesAndTimeAlone,
  },
  { sentence: "changes nothing by a free refusal", share: 0.06, hold: aFreeRefusalChangesNothing },
  { sentence: "gives back as if never taken", share: 0.06, hold: whatIsGivenBackWasNeverTaken },
  { sentence: "gives nothing back for a stamp that is out of date", share: 0.04, hold: aStaleStampGivesNothingBack },
  { sentence: "grants a batch as a whole or not at all", share: 0.06, hold: aBatchIsGrantedAsAWholeOrNotAtAll },
  {
    sentence: "refuses a batch that asks one counter twice",
    share: 0,
    hold: aBatchThatAsksOneCounterTwiceIsRefused,
    ofOutcomes: outcomesAreOfSingleUnits,
  },
  {
    sentence: "decides several times at once as one after the other",
    share: 0.05,
    hold: severalTimesAtOnceEqualOneAfterTheOther,
    ofOutcomes: outcomesOfSeveralTimesAtOnce,
  },
  { sentence: "decides each of many keys as it decides one", share: 0.03, hold: decideEachIsDecidingOneByOne },
  {
    sentence: "lets no shadow take veto the others",
    share: 0.03,
    hold: aShadowNeverVetoes,
    ofOutcomes: outcomesOfShadows,
  },
  {
    sentence: "admits by parallel takes exactly what serial ones admit",
    share: 0.05,
    hold: parallelTakesAdmitWhatSerialOnesDo,
    ofOutcomes: outcomesOfParallelTakes,
  },
  {
    sentence: "never raises remaining when the clock goes back",
    share: 0.03,
    hold: aClockThatGoesBackNeverRaisesRemaining,
  },
  { sentence: "says what the reference model says, field by field", share: 0.3, hold: saysWhatTheModelSays },
  { sentence: "settles by what was used, as the reference model does", share: 0.2, hold: settlesByWhatWasUsed },
  { sentence: "counts the sum of what is settled at once", share: 0.03, hold: settledAtOnceCountTheSum },
  {
    sentence: "begins and ends windows of the calendar as their time zone does",
    share: 0.04,
    hold: windowsFollowTheCalendar,
  },
  {
    sentence: "counts keys that look alike apart",
    share: 0,
    hold: keysThatLookAlikeAreCountedApart,
    ofOutcomes: outcomesOfKeysThatLookAlike,
  },
  { sentence: "keeps what is used when limit or window change", share: 0.04, hold: aChangeKeepsWhatIsUsed },
  {
    sentence: "keeps what is used when other keys have another limit or window",
    share: 0.03,
    hold: aChangeForSomeKeysLeavesTheOthersAlone,
  },
  {
    sentence: "keeps nobody out for longer than a window that was made shorter",
    share: 0.03,
    hold: aShorterWindowKeepsNobodyOutForLonger,
  },
  { sentence: "blocks a key that was refused too often", share: 0, hold: aKeyRefusedTooOftenIsBlocked },
  { sentence: "forgets one key, or all keys of one policy", share: 0, hold: resetForgetsOneKeyOrAllOfAPolicy },
  { sentence: "lists the keys in use", share: 0, hold: inspectListsTheKeysInUse },
  {
    sentence: "pays off what is owed in windows of the calendar, as the reference model does",
    share: 0.06,
    hold: settlesByTheCalendar,
  },
  {
    sentence: "counts what is owed as soon as a raised limit has room for it",
    share: 0,
    hold: aRaisedLimitHasRoomForDebts,
  },
];

/**
 * Registers the tests that a store must pass, with every algorithm in its capabilities.
 *
 * Every test creates its own store and runs random but repeatable traces. A failure is an `Error` with the property,
 * the policy, the expected and actual results, and the last operations. Features that a store declares missing are not
 * tested: refunds if its refusals write, batches that are not atomic, and for an outcome-only store everything except
 * outcomes. A store may reject a policy's options with a `TypeError`, but not the algorithm alone.
 *
 * @param subject The store's name, and how to create one
 * @param test Registers a test
 * @param options Number of operations, and seed
 * @throws {RangeError} If `operations` is not an integer above 0, or an exception is not a sentence of the contract
 *
 * @example With Deno's test runner
 * ```ts ignore
 * import { MemoryStore } from "@sluice/rate-limit";
 * import { storeContract } from "@sluice/rate-limit/testing";
 *
 * storeContract({
 *   name: "MemoryStore",
 *   make: (clock) => Promise.resolve({ store: new MemoryStore({ clock: clock.read }) }),
 * }, Deno.test, { operations: 20_000 });
 * ```
 */
export function storeContract(subject: ContractSubject, test: RegisterTest, options: StoreContractOptions = {}): void {
  checkNames("storeContract", options, NAMES);
  const { operations = 2000, seed = 1, except = {} } = options;
  if (!Number.isInteger(operations) || operations < 1) {
    throw new RangeError(`storeContract: option operations must be a whole number above 0, not ${operations}`);
  }
  const unknown = Object.keys(except).find((one) => PROPERTIES.every(({ sentence }) => sentence !== one));
  if (unknown !== undefined) throw new RangeError(`storeContract: option except has no promise "${unknown}"`);
  PROPERTIES.forEach(({ sentence, share, hold, ofOutcomes }, i) => {
    if (Object.hasOwn(except, sentence)) return;
    test(`${subject.name} ${sentence}`, async () => {
      const clock = new VirtualClock();
      const { store, dispose } = await subject.make(clock);
      try {
        const budget = Math.max(LEAST, Math.ceil(operations * share));
        const run = new ContractRun(store, clock, seededRandom(seed * 1000 + i));
        if (store.capabilities.outcomeOnly === true) await ofOutcomes?.(run, policyOf(subject), budget);
        else await hold(run, budget);
      } finally {
        await dispose?.();
      }
    });
  });
}

function policyOf({ name, policy }: ContractSubject): Policy {
  if (policy !== undefined) return policy;
  throw new TypeError(`storeContract: ${name} reports only outcomes, so the subject must name its policy`);
}

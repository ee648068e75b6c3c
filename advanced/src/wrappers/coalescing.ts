import type { Counters } from "./counters.ts";
import { refusesFreely } from "../policy/policy.ts";
import type { Awaitable, Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { shareOf } from "./share_of.ts";
import { signatureOf } from "./signature.ts";

/** The runtime's own, even under a test's fake timers. */
const { queueMicrotask } = globalThis;

/** Equal batches from one turn, to be sent as one. */
interface Group {
  readonly takes: readonly Take[];
  readonly waiting: { resolve: (verdicts: readonly Verdict[]) => void; reject: (error: unknown) => void }[];
}

/** Maximum keys in one command; with more, every key would wait for the last one. */
const MOST_KEYS = 64;

/**
 * Merges decisions made in the same event loop turn.
 *
 * Equal decisions become one: instead of `m` requests for one unit, one request for up to `m`. As many as fit are
 * granted, in order, with the same outcome as deciding them one after the other. Other keys share the command if the
 * store supports that; each is still decided separately.
 */
export class CoalescingStore implements Store {
  readonly #store: Store;
  readonly #counters: Counters;
  #groups = new Map<string, Group>();

  /**
   * Creates an instance.
   *
   * @param store The underlying store
   * @param counters Counts merged decisions
   */
  constructor(store: Store, counters: Counters) {
    this.#store = store;
    this.#counters = counters;
  }

  /** The underlying store's capabilities. */
  get capabilities(): Capabilities {
    return this.#store.capabilities;
  }

  /** Decides a batch; see {@linkcode Store}. */
  decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    if (times !== 1 || !isMergeable(takes)) return Promise.resolve(this.#store.decide(takes, times));
    const signature = signatureOf(takes);
    return new Promise((resolve, reject) => {
      const group = this.#groups.get(signature);
      if (group !== undefined) {
        group.waiting.push({ resolve, reject });
        this.#counters.coalesced++;
        return;
      }
      // two microtasks, because callers that got replies together may each send another request
      if (this.#groups.size === 0) queueMicrotask(() => queueMicrotask(() => this.#flush()));
      this.#groups.set(signature, { takes, waiting: [{ resolve, reject }] });
    });
  }

  #flush(): void {
    const groups = [...this.#groups.values()];
    this.#groups = new Map();
    if (this.#store.decideEach === undefined || groups.length === 1) {
      for (const group of groups) void this.#send(group);
      return;
    }
    for (const alike of partsOf(groups)) void this.#sendEach(alike);
  }

  async #send(group: Group): Promise<void> {
    try {
      reply(group, await this.#store.decide(group.takes, group.waiting.length));
    } catch (error) {
      for (const { reject } of group.waiting) reject(error);
    }
  }

  async #sendEach(groups: readonly Group[]): Promise<void> {
    if (groups.length === 1) return this.#send(groups[0]!);
    this.#counters.coalesced += groups.length - 1;
    try {
      const times = groups.map(({ waiting }) => waiting.length);
      const verdicts = await this.#store.decideEach!(groups.map(({ takes }) => takes[0]!), times);
      groups.forEach((group, i) => reply(group, [verdicts[i]!]));
    } catch (error) {
      for (const { waiting } of groups) for (const { reject } of waiting) reject(error);
    }
  }

  /** Refunds units; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): ReturnType<Store["give"]> {
    return this.#store.give(take, stamp, amount);
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  settle(take: Take, stamp: number, change: number): Awaitable<Verdict> {
    return this.#store.settle!(take, stamp, change);
  }

  /** Forgets keys; see {@linkcode Store}. */
  reset(selector: Selector): ReturnType<Store["reset"]> {
    return this.#store.reset(selector);
  }
}

/** Splits groups into those that can share a command: one take per batch, with the same policy and cost. */
function* partsOf(groups: readonly Group[]): Generator<Group[]> {
  let part: Group[] = [];
  for (const group of groups) {
    if (part.length > 0 && (part.length >= MOST_KEYS || !areAlike(part[0]!, group))) {
      yield part;
      part = [];
    }
    part.push(group);
  }
  yield part;
}

function areAlike({ takes: [a, ...others] }: Group, { takes: [b, ...more] }: Group): boolean {
  return others.length === 0 && more.length === 0 && a!.policy === b!.policy && a!.cost === b!.cost &&
    a!.shadow === b!.shadow;
}

// with several policies, refusals with side effects must be sent one by one
function isMergeable(takes: readonly Take[]): boolean {
  return takes.length === 1 || takes.every(({ policy }) => refusesFreely(policy));
}

function reply({ takes, waiting }: Group, verdicts: readonly Verdict[]): void {
  if (waiting.length === 1) waiting[0]!.resolve(verdicts);
  else waiting.forEach(({ resolve }, i) => resolve(shareOf(takes, verdicts, i)));
}

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CloudflareRateLimitStore } from "../../src/stores/cloudflare_rate_limit_store.ts";
import { MemoryStore } from "../../src/stores/memory_store.ts";
import {
  type Policy,
  type Store,
  storeContract,
  type StoreContractOptions,
  type Take,
  type Verdict,
  type VirtualClock,
} from "../../testing.ts";
import { FakeBinding } from "../support/rate_limit_binding.ts";

/** A memory store that a subclass breaks in one way. */
class Broken implements Store {
  readonly inner: MemoryStore;
  readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
    this.inner = new MemoryStore({ clock: clock.read });
  }

  get capabilities() {
    return this.inner.capabilities;
  }

  decide(takes: readonly Take[], times = 1): readonly Verdict[] | Promise<readonly Verdict[]> {
    return this.inner.decide(takes, times);
  }

  give(take: Take, stamp: number, amount: number): boolean {
    return this.inner.give(take, stamp, amount);
  }

  settle(take: Take, stamp: number, change: number): Verdict | Promise<Verdict> {
    return this.inner.settle(take, stamp, change);
  }

  reset(selector: { policy: string; key?: string | undefined }): number {
    return this.inner.reset(selector);
  }

  inspect(policy: Policy) {
    return this.inner.inspect(policy);
  }
}

/** Alters every verdict. */
function altered(change: (verdict: Verdict, take: Take) => Verdict): new (clock: VirtualClock) => Store {
  return class extends Broken {
    override decide(takes: readonly Take[], times = 1) {
      return this.inner.decide(takes, times).map((verdict, i) => change(verdict, takes[i]!));
    }
  };
}

/** Alters every take. */
function misread(change: (take: Take) => Take): new (clock: VirtualClock) => Store {
  return class extends Broken {
    override decide(takes: readonly Take[], times = 1) {
      return this.inner.decide(takes.map(change), times);
    }
    override give(take: Take, stamp: number, amount: number) {
      return this.inner.give(change(take), stamp, amount);
    }
  };
}

/** Settles differently. */
function settling(
  settle: (inner: MemoryStore, take: Take, stamp: number, change: number) => Verdict | Promise<Verdict>,
): new (clock: VirtualClock) => Store {
  return class extends Broken {
    override settle(take: Take, stamp: number, change: number) {
      return settle(this.inner, take, stamp, change);
    }
  };
}

/** Runs the contract. Returns the names and messages of the failed tests. */
async function failuresOf(
  Made: new (clock: VirtualClock) => Store,
  options?: StoreContractOptions,
  policy?: Policy,
) {
  const tests: [name: string, body: () => Promise<void>][] = [];
  const make = (clock: VirtualClock) => Promise.resolve({ store: new Made(clock) });
  const subject = { name: "It", make, ...(policy === undefined ? {} : { policy }) };
  storeContract(subject, (name, body) => tests.push([name, body]), { operations: 1500, ...options });
  const failures = new Map<string, string>();
  for (const [name, body] of tests) {
    await body().catch((error) => failures.set(name, (error as Error).message));
  }
  return failures;
}

const BUGS: Record<string, { store: new (clock: VirtualClock) => Store; breaks: string[] }> = {
  "admits one too many in the last ms of a window": {
    store: class extends Broken {
      override decide(takes: readonly Take[], times = 1) {
        const verdicts = this.inner.decide(takes, times);
        if (takes.length > 1 || times > 1 || verdicts[0]!.retryAfterMs !== 1) return verdicts;
        return [{ ...verdicts[0]!, granted: takes[0]!.cost, denied: false, retryAfterMs: 0 }];
      }
    },
    breaks: ["bound", "waits as long as retryAfterMs says", "reference model"],
  },
  "tells a retryAfterMs that is 1 ms early": {
    store: altered((verdict) => ({ ...verdict, retryAfterMs: Math.max(0, verdict.retryAfterMs - 1) })),
    breaks: ["waits as long as retryAfterMs says", "reference model"],
  },
  "tells a retryAfterMs that is 1 ms late": {
    store: altered((verdict) => ({ ...verdict, retryAfterMs: verdict.denied ? verdict.retryAfterMs + 1 : 0 })),
    breaks: ["waits as long as retryAfterMs says"],
  },
  "tells one unit too few": {
    store: altered((verdict) => ({ ...verdict, remaining: Math.max(0, verdict.remaining - 1) })),
    breaks: ["as many as remaining says"],
  },
  "tells nextMs and resetMs 1 ms early": {
    store: altered((verdict) => ({ ...verdict, nextMs: Math.max(0, verdict.nextMs - 1) })),
    breaks: ["lowers remaining by takes alone"],
  },
  "charges for refusals": {
    store: misread((take) => ({ ...take, policy: { ...take.policy, onDenied: take.policy.onDenied ?? "charge" } })),
    breaks: ["free refusal"],
  },
  "gives back whatever the stamp": {
    store: class extends Broken {
      readonly #stamps = new Map<string, number>();
      override decide(takes: readonly Take[], times = 1) {
        const verdicts = this.inner.decide(takes, times);
        verdicts.forEach(({ granted, stamp }, i) => granted > 0 && this.#stamps.set(takes[i]!.key, stamp));
        return verdicts;
      }
      override give(take: Take, stamp: number, amount: number) {
        return this.inner.give(take, this.#stamps.get(take.key) ?? stamp, amount);
      }
    },
    breaks: ["stamp that is out of date"],
  },
  "gives one unit too few back": {
    store: class extends Broken {
      override give(take: Take, stamp: number, amount: number) {
        return this.inner.give(take, stamp, Math.max(1, amount - 1));
      }
    },
    breaks: ["gives back as if never taken"],
  },
  "decides a batch take by take": {
    store: class extends Broken {
      override decide(takes: readonly Take[], times = 1) {
        return takes.map((take) => this.inner.decide([take], times)[0]!);
      }
    },
    breaks: ["a batch as a whole", "asks one counter twice"],
  },
  "lets shadows veto": {
    store: misread((take) => ({ ...take, shadow: false })),
    breaks: ["shadow"],
  },
  "grants all of several times or none": {
    store: class extends Broken {
      override decide(takes: readonly Take[], times = 1) {
        const verdicts = this.inner.decide(takes.map((take) => ({ ...take, cost: take.cost * times })), 1);
        return verdicts;
      }
    },
    breaks: ["several times at once"],
  },
  "reads, waits and then writes": {
    store: class extends Broken {
      override async decide(takes: readonly Take[], times = 1) {
        const seen = this.inner.decide(takes.map((take) => ({ ...take, cost: 0 })));
        await Promise.resolve();
        const verdicts = this.inner.decide(takes, times);
        const fit = seen.every(({ remaining }, i) => remaining >= takes[i]!.cost);
        return times > 1 || !fit ? verdicts : verdicts.map((verdict, i) => {
          return { ...verdict, granted: takes[i]!.cost, denied: false, retryAfterMs: 0 };
        });
      }
    },
    breaks: ["parallel takes"],
  },
  "forgets when the clock goes back": {
    store: class extends Broken {
      #inner = new MemoryStore({ clock: () => this.clock.now });
      #latest = 0;
      override decide(takes: readonly Take[], times = 1) {
        if (this.clock.now < this.#latest) this.#inner = new MemoryStore({ clock: () => this.clock.now });
        this.#latest = this.clock.now;
        return this.#inner.decide(takes, times);
      }
    },
    breaks: ["clock goes back"],
  },
  "puts name and key together with a colon": {
    store: misread((take) => {
      return { ...take, policy: { ...take.policy, name: "all" }, key: `${take.policy.name}:${take.key}` };
    }),
    breaks: ["look alike"],
  },
  "cuts long keys": {
    store: misread((take) => ({ ...take, key: take.key.slice(0, 250) })),
    breaks: ["look alike"],
  },
  "folds keys to one normal form": {
    store: misread((take) => ({ ...take, key: take.key.normalize("NFC") })),
    breaks: ["look alike"],
  },
  "begins anew when the limit changes": {
    store: misread((take) => ({
      ...take,
      policy: { ...take.policy, name: `${take.policy.name}/${take.policy.limit}` },
    })),
    breaks: ["limit or window change"],
  },
  "blocks 1 ms too long": {
    store: misread(({ policy, ...take }) => {
      const { block } = policy;
      if (block === undefined) return { policy, ...take };
      return { ...take, policy: { ...policy, block: { ...block, forMs: block.forMs + 1 } } };
    }),
    breaks: ["blocks a key"],
  },
  "resets all keys instead of one": {
    store: class extends Broken {
      override reset({ policy }: { policy: string }) {
        return this.inner.reset({ policy });
      }
    },
    breaks: ["forgets one key"],
  },
  "goes by a clock of its own": {
    store: class extends Broken {
      #inner = new MemoryStore();
      override decide(takes: readonly Take[], times = 1) {
        return this.#inner.decide(takes, times);
      }
    },
    breaks: ["counts by the clock"],
  },
  "knows no calendar": {
    store: misread((take) => ({ ...take, policy: { ...take.policy, window: undefined } })),
    breaks: ["windows of the calendar"],
  },
  "takes all time zones for UTC": {
    store: misread(({ policy, ...take }) => {
      const window = policy.window && { ...policy.window, timeZone: "UTC" };
      return { ...take, policy: { ...policy, window } };
    }),
    breaks: ["windows of the calendar"],
  },
  "forgets debts at the end of a window": {
    store: class extends Broken {
      override decide(takes: readonly Take[], times = 1) {
        const forgetful = takes.map((take) => ({ ...take, policy: { ...take.policy, maxDebt: undefined } }));
        return this.inner.decide(forgetful, times);
      }
    },
    breaks: ["settles by what was used"],
  },
  "counts a higher debt than it may": {
    store: settling((inner, { policy, ...take }, stamp, change) => {
      return inner.settle({ ...take, policy: { ...policy, maxDebt: policy.maxDebt! + 1 } }, stamp, change);
    }),
    breaks: ["settles by what was used"],
  },
  "gives nothing back by settling": {
    store: settling((inner, take, stamp, change) => inner.settle(take, stamp, Math.max(0, change))),
    breaks: ["settles by what was used", "settled at once"],
  },
  "says that all is counted when it is not": {
    store: settling((inner, take, stamp, change) => ({ ...inner.settle(take, stamp, change), granted: change })),
    breaks: ["settles by what was used"],
  },
  "settles what it has read before": {
    store: settling(async (inner, take, stamp, change) => {
      const [{ remaining }] = inner.decide([{ ...take, cost: 0 }]) as [Verdict];
      await Promise.resolve();
      return inner.settle(take, stamp, Math.min(change, remaining));
    }),
    breaks: ["settles by what was used", "settled at once"],
  },
  "forgets what is owed at the end of a window of the calendar": {
    store: class extends Broken {
      override decide(takes: readonly Take[], times = 1) {
        const forgetful = takes.map((take) => {
          const { window, maxDebt } = take.policy;
          return { ...take, policy: { ...take.policy, maxDebt: window === undefined ? maxDebt : undefined } };
        });
        return this.inner.decide(forgetful, times);
      }
    },
    breaks: ["owed in windows of the calendar"],
  },
  "pays off by days of 24 hours and months of 31 days": {
    store: class extends Broken {
      readonly #alike = ({ policy, ...take }: Take): Take => {
        const { window, maxDebt } = policy;
        return {
          ...take,
          policy: maxDebt === undefined || window === undefined ? policy : { ...policy, window: undefined },
        };
      };
      override decide(takes: readonly Take[], times = 1) {
        return this.inner.decide(takes.map(this.#alike), times);
      }
      override settle(take: Take, stamp: number, change: number) {
        return this.inner.settle(this.#alike(take), stamp, change);
      }
    },
    breaks: ["owed in windows of the calendar"],
  },
  "settles by days of UTC": {
    store: settling((inner, { policy, ...take }, stamp, change) => {
      const window = policy.window && { ...policy.window, timeZone: "UTC" };
      return inner.settle({ ...take, policy: { ...policy, window } }, stamp, change);
    }),
    breaks: ["owed in windows of the calendar"],
  },
  "tells the end of a later window 1 ms too late": {
    store: altered((verdict, { policy: { window, maxDebt, windowMs } }) => {
      const isLater = window !== undefined && maxDebt !== undefined && verdict.resetMs > 2.1 * windowMs;
      return isLater ? { ...verdict, resetMs: verdict.resetMs + 1 } : verdict;
    }),
    breaks: ["owed in windows of the calendar"],
  },
  "lists idle keys": {
    store: class extends Broken {
      override async *inspect(policy: Policy) {
        yield* this.inner.inspect(policy);
        yield { key: "idle", verdict: this.inner.decide([{ policy, key: "idle", cost: 0 }])[0]! };
      }
    },
    breaks: ["lists the keys in use"],
  },
  "lists keys twice": {
    store: class extends Broken {
      override async *inspect(policy: Policy) {
        yield* this.inner.inspect(policy);
        yield* this.inner.inspect(policy);
      }
    },
    breaks: ["lists the keys in use"],
  },
  "counts what it lists by the policy of the list": {
    store: class extends Broken {
      override async *inspect(policy: Policy) {
        for await (const { key } of this.inner.inspect(policy)) {
          yield { key, verdict: this.inner.decide([{ policy, key, cost: 0 }])[0]! };
        }
      }
    },
    breaks: ["lists the keys in use"],
  },
  "lists no blocked keys": {
    store: class extends Broken {
      override async *inspect(policy: Policy) {
        for await (const entry of this.inner.inspect(policy)) if (!entry.verdict.blocked) yield entry;
      }
    },
    breaks: ["lists the keys in use"],
  },
};

Deno.test("the contract passes for a correct store", async () => {
  assertEquals([...await failuresOf(Broken)], []);
});

for (const [bug, { store, breaks }] of Object.entries(BUGS)) {
  Deno.test(`the contract fails for a store that ${bug}`, async () => {
    const failed = [...(await failuresOf(store)).keys()];
    for (const part of breaks) {
      assert(failed.some((name) => name.includes(part)), `"${part}" is not among ${JSON.stringify(failed)}`);
    }
  });
}

const CONFIGURED: Policy = { name: "configured", algorithm: "fixed-window", limit: 7, windowMs: 10_000 };

/** A store that returns outcomes only; a subclass breaks it in one way. */
class Outcomes implements Store {
  readonly inner: CloudflareRateLimitStore;

  constructor(clock: VirtualClock, limit = 7) {
    const binding = new FakeBinding(clock.read, { limit, period: 10 });
    this.inner = new CloudflareRateLimitStore({ binding });
  }

  get capabilities() {
    return this.inner.capabilities;
  }

  async decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    return await this.inner.decide(takes, times);
  }

  give(_take: Take, _stamp: number, _amount: number): boolean {
    return this.inner.give();
  }

  reset(selector: { policy: string }): number {
    return this.inner.reset(selector);
  }
}

const OUTCOME_BUGS: Record<string, { store: new (clock: VirtualClock) => Store; breaks: string[] }> = {
  "grants one too many": {
    store: class extends Outcomes {
      constructor(clock: VirtualClock) {
        super(clock, 8);
      }
    },
    breaks: ["counts by the clock", "parallel takes", "waits as long as retryAfterMs says"],
  },
  "grants two windows at once": {
    store: class extends Outcomes {
      constructor(clock: VirtualClock) {
        super(clock, 15);
      }
    },
    breaks: ["bound"],
  },
  "makes one call of several": {
    store: class extends Outcomes {
      override async decide(takes: readonly Take[], times = 1) {
        const verdicts = await super.decide(takes, 1);
        return verdicts.map((verdict) => ({ ...verdict, granted: verdict.granted * times }));
      }
    },
    breaks: ["several times at once"],
  },
  "tells an end that may come later": {
    store: class extends Outcomes {
      override async decide(takes: readonly Take[], times = 1) {
        const verdicts = await super.decide(takes, times);
        return verdicts.map((verdict) => ({ ...verdict, retryAfterMs: Math.min(verdict.retryAfterMs, 500) }));
      }
    },
    breaks: ["waits as long as retryAfterMs says"],
  },
  "makes up what is left": {
    store: class extends Outcomes {
      override async decide(takes: readonly Take[], times = 1) {
        const verdicts = await super.decide(takes, times);
        return verdicts.map((verdict) => verdict.denied ? verdict : { ...verdict, remaining: verdict.limit - 1 });
      }
    },
    breaks: ["counts by the clock", "look alike"],
  },
  "counts names together": {
    store: class extends Outcomes {
      override async decide(takes: readonly Take[], times = 1) {
        return await super.decide(takes.map((take) => ({ ...take, policy: { ...take.policy, name: "all" } })), times);
      }
    },
    breaks: ["look alike"],
  },
  "decides batches take by take": {
    store: class extends Outcomes {
      override async decide(takes: readonly Take[], times = 1) {
        return (await Promise.all(takes.map((take) => super.decide([take], times)))).flat();
      }
    },
    breaks: ["asks one counter twice"],
  },
  "refuses in shadow what it does not count": {
    store: class extends Outcomes {
      override async decide(takes: readonly Take[], times = 1) {
        if (!takes[0]!.shadow) return await super.decide(takes, times);
        return [{ ...(await super.decide([{ ...takes[0]!, cost: 0 }]))[0]!, granted: 1 }];
      }
    },
    breaks: ["shadow"],
  },
};

Deno.test("the contract of a store that only tells outcomes passes for a correct one", async () => {
  assertEquals([...await failuresOf(Outcomes, {}, CONFIGURED)], []);
});

Deno.test("a store that only tells outcomes has to say its policy", async () => {
  const failures = await failuresOf(Outcomes);
  assertStringIncludes([...failures.values()][0]!, "the subject must name its policy");
});

for (const [bug, { store, breaks }] of Object.entries(OUTCOME_BUGS)) {
  Deno.test(`the contract fails for a store that only tells outcomes and ${bug}`, async () => {
    const failed = [...(await failuresOf(store, {}, CONFIGURED)).keys()];
    for (const part of breaks) {
      assert(failed.some((name) => name.includes(part)), `"${part}" is not among ${JSON.stringify(failed)}`);
    }
  });
}

Deno.test("the contract requires no more than a store declares", async () => {
  class Modest extends Broken {
    override get capabilities() {
      return {
        ...this.inner.capabilities,
        algorithms: new Set(["fixed-window"] as const),
        atomicBatch: "none",
        exactDeny: false,
      } as const;
    }
    override decide(takes: readonly Take[], times = 1) {
      for (const { policy: { algorithm, block, align, onDenied } } of takes) {
        if (algorithm === "fixed-window" && block === undefined && align !== "clock" && onDenied === undefined) {
          continue;
        }
        throw new TypeError("not served");
      }
      return this.inner.decide(takes, times);
    }
  }
  assertEquals([...await failuresOf(Modest)], []);
});

Deno.test("a failure shows the policy, both verdicts and the last operations", async () => {
  const failures = await failuresOf(BUGS["tells a retryAfterMs that is 1 ms early"]!.store);
  const [message] = failures.values();
  for (const part of ["breaks its contract: ", "policy: {", "wanted: ", "got: ", "what was done last", "decide n"]) {
    assertStringIncludes(message!, part);
  }
  assert(message!.split("\n").length <= 20);
});

Deno.test("the same seed gives the same operations, another seed different ones", async () => {
  const { store } = BUGS["tells one unit too few"]!;
  const [first, again, other] = [
    await failuresOf(store),
    await failuresOf(store),
    await failuresOf(store, { seed: 2 }),
  ];
  assertEquals([...again], [...first]);
  assert([...other.values()].join() !== [...first.values()].join());
});

Deno.test("storeContract() refuses an invalid number of operations", () => {
  for (const operations of [0, -1, 1.5, NaN]) {
    const make = (clock: VirtualClock) => Promise.resolve({ store: new Broken(clock) });
    assertThrows(() => storeContract({ name: "It", make }, () => {}, { operations }), RangeError, String(operations));
  }
});

/// <reference lib="deno.unstable" />
import { DenoKvStore } from "../../src/stores/deno_kv_store.ts";
import { fromExclusive } from "../../src/stores/exclusive_store.ts";
import { fromCounter } from "../../src/stores/counter_store.ts";
import type { CounterInfo, CounterLike } from "../../src/stores/counter_like.ts";
import { CloudflareRateLimitStore } from "../../src/stores/cloudflare_rate_limit_store.ts";
import { DurableObjectStore } from "../../src/stores/durable_object_store.ts";
import { RateLimitObject } from "../../src/stores/rate_limit_object.ts";
import { StoreClock } from "@sluice/limiting";
import { storeContract, type VirtualClock } from "../../testing.ts";
import { FakeBinding } from "../support/rate_limit_binding.ts";

const operations = Number(Deno.env.get("SLUICE_FUZZ_OPERATIONS") ?? 3_000);

storeContract(
  {
    name: "DenoKvStore",
    async make(clock) {
      const kv = await Deno.openKv(":memory:");
      return {
        store: new DenoKvStore({ kv, clock: clock.read }),
        dispose: () => Promise.resolve(kv.close()),
      };
    },
  },
  Deno.test,
  { operations: operations },
);

storeContract(
  {
    name: "fromExclusive",
    make(clock) {
      const partitions = new Map<string, Map<string, Float64Array>>();
      const store = fromExclusive((partition, body) => {
        let records = partitions.get(partition);
        if (records === undefined) partitions.set(partition, records = new Map());
        return body(records, clock.read());
      }, { partitions: () => [...partitions.keys()] });
      return Promise.resolve({ store });
    },
  },
  Deno.test,
  { operations },
);

/** A fake namespace: objects by name, each with its own storage. Tests in `stores/` use real ones. */
class Namespace {
  readonly #objects = new Map<string, RateLimitObject>();
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  idFromName(name: string): string {
    return name;
  }

  get(name: string) {
    let object = this.#objects.get(name);
    if (object === undefined) {
      const values = new Map<string, unknown>();
      const storage = {
        list: () => Promise.resolve(new Map(values)),
        put: (key: string, value: Float64Array) => Promise.resolve(void values.set(key, value)),
        delete: (key: string) => Promise.resolve(values.delete(key)),
      };
      this.#objects.set(name, object = new RateLimitObject({ storage }, undefined, this.#clock.read));
    }
    const made = object;
    return { fetch: (url: string, init: { method: string; body: string }) => made.fetch(new Request(url, init)) };
  }
}

storeContract(
  {
    name: "DurableObjectStore",
    make: (clock) => Promise.resolve({ store: new DurableObjectStore({ namespace: new Namespace(clock) }) }),
  },
  Deno.test,
  { operations: operations },
);

// also a fake: the real binding does not accept a clock
for (const [limit, period] of [[7, 10], [20, 60]] as const) {
  storeContract(
    {
      name: `CloudflareRateLimitStore, ${limit} in ${period} s,`,
      make(clock) {
        const binding = new FakeBinding(clock.read, { limit, period });
        return Promise.resolve({ store: new CloudflareRateLimitStore({ binding }) });
      },
      policy: { name: "configured", algorithm: "fixed-window", limit, windowMs: period * 1000 },
    },
    Deno.test,
    { operations },
  );
}

/** A store like express-rate-limit's, on the test's clock. */
class Counter implements CounterLike {
  readonly localKeys = true;
  readonly #hits = new Map<string, { hits: number; end: number }>();
  readonly #clock: StoreClock;
  #windowMs = 0;

  constructor(clock: StoreClock) {
    this.#clock = clock;
  }

  init({ windowMs }: { windowMs: number }): void {
    this.#windowMs = windowMs;
  }

  #now(): number {
    return this.#clock.now();
  }

  get(key: string): Promise<CounterInfo | undefined> {
    const known = this.#hits.get(key);
    if (known === undefined || known.end <= this.#now()) return Promise.resolve(undefined);
    return Promise.resolve({ totalHits: known.hits, resetTime: new Date(known.end) });
  }

  increment(key: string): Promise<CounterInfo> {
    let known = this.#hits.get(key);
    if (known === undefined || known.end <= this.#now()) known = { hits: 0, end: this.#now() + this.#windowMs };
    known.hits++;
    this.#hits.set(key, known);
    return Promise.resolve({ totalHits: known.hits, resetTime: new Date(known.end) });
  }

  decrement(key: string): Promise<void> {
    const known = this.#hits.get(key);
    if (known !== undefined && known.end > this.#now()) known.hits--;
    return Promise.resolve();
  }

  resetKey(key: string): Promise<void> {
    this.#hits.delete(key);
    return Promise.resolve();
  }

  resetAll(): Promise<void> {
    this.#hits.clear();
    return Promise.resolve();
  }
}

storeContract(
  {
    name: "fromCounter",
    make(clock) {
      // counter and adapter share one clock
      const time = new StoreClock(clock.read);
      return Promise.resolve({ store: fromCounter(() => new Counter(time), { clock: () => time.now() }) });
    },
  },
  Deno.test,
  {
    operations,
    except: {
      "gives back as if never taken": "a counter's window goes on when all of its hits were taken back",
      "says what the reference model says, field by field": "the same",
      "keeps what is used when limit or window change": "a counter is told its window once",
      "keeps what is used when other keys have another limit or window": "the same",
    },
  },
);

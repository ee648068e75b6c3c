/** Counters in Memcached: one item per key, with the states of all its limits. */
import type { CompareAndSet, ListedValue, StateKey, StateWrite, VersionedValue } from "@sluice/rate-limit";
import type { MemcacheClient } from "memcache-client";

/** States by policy and shape, each with its expiry time in ms. */
type States = Record<string, readonly [expires: number, value: string]>;

/** An item as read, which must be unchanged at the next write. */
interface Seen {
  readonly cas: string | number | null;
  readonly states: States;
}

const MONTH = 30 * 86_400;

/** One server: all processes must use the same one for a key. */
export class MemcachedCounters implements CompareAndSet {
  readonly atomicBatch = "same-key";
  readonly listsByKey = true;
  readonly #client: MemcacheClient;
  readonly #prefix: string;

  constructor(client: MemcacheClient, prefix = "limits:") {
    this.#client = client;
    this.#prefix = prefix;
  }

  async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    const seen = await this.#seen(keys[0]![1]);
    return keys.map((key) => {
      const state = seen.states[nameOf(key)];
      return { value: state === undefined ? null : bytesOf(state[1]), version: seen };
    });
  }

  async #seen(key: string): Promise<Seen> {
    const item = await this.#client.gets<string>(await this.#itemOf(key));
    if (item === undefined) return { cas: null, states: {} };
    return { cas: item.casUniq, states: JSON.parse(item.value) };
  }

  async commit(writes: readonly StateWrite[]): Promise<boolean> {
    const { cas, states: before } = writes[0]!.expected as Seen;
    const now = Date.now();
    // clocks of other processes may be late by a minute
    const states: States = Object.fromEntries(Object.entries(before).filter(([, [expires]]) => expires + 60_000 > now));
    for (const { key, value, ttlMs } of writes) {
      if (value === null) delete states[nameOf(key)];
      else states[nameOf(key)] = [now + ttlMs, textOf(value)];
    }
    const until = Math.max(now, ...Object.values(states).map(([expires]) => expires));
    const seconds = Math.ceil((until - now) / 1000) + 60;
    // from a month on, Memcached reads it as a timestamp
    const options = { lifetime: seconds < MONTH ? seconds : Math.ceil(now / 1000) + seconds };
    const item = await this.#itemOf(writes[0]!.key[1]);
    try {
      if (cas === null) await this.#client.add(item, JSON.stringify(states), options);
      else await this.#client.cas(item, JSON.stringify(states), { ...options, casUniq: cas });
      return true;
    } catch (error) {
      // another process was faster, or the item no longer exists
      if (/^(NOT_STORED|EXISTS|NOT_FOUND)/.test((error as Error).message)) return false;
      throw error;
    }
  }

  async delete(key: StateKey): Promise<void> {
    // the states of the key's other limits stay, so this is an ordinary write
    for (;;) {
      const expected = await this.#seen(key[1]);
      if (expected.states[nameOf(key)] === undefined) return;
      if (await this.commit([{ key, value: null, expected, ttlMs: 0 }])) return;
    }
  }

  async *list(policy: string, key: string): AsyncGenerator<ListedValue> {
    for (const [name, [, value]] of Object.entries((await this.#seen(key)).states)) {
      const [its, shape] = JSON.parse(name) as [string, string];
      if (its === policy) yield { key: [policy, key, shape], value: bytesOf(value) };
    }
  }

  // a key has at most 250 bytes, and no spaces
  async #itemOf(key: string): Promise<string> {
    const bytes = new TextEncoder().encode(JSON.stringify(key));
    return this.#prefix + textOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  }
}

function nameOf([policy, , shape]: StateKey): string {
  return JSON.stringify([policy, shape]);
}

function textOf(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

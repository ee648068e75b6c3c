/// <reference lib="deno.unstable" />
import { DatabaseSync } from "node:sqlite";
import { DenoKvStore, DurableObjectStore, RateLimitObject } from "../../../mod.ts";
import type { KvAtomic, KvDatabase, KvEntry, KvKeyPart, Store, Take, Verdict } from "../../../mod.ts";
import { SqliteStore } from "../../../sqlite.ts";
import { writeIsLate } from "./late_database.ts";
import type { LateSubject } from "./late_run.ts";
import type { Wire } from "./wire.ts";

/**
 * Deno KV: a process decides by its own clock, and its writes arrive later.
 *
 * @param path The file
 */
export function lateKv(path: string): LateSubject {
  return {
    name: "Deno KV",
    earlyMs: writeIsLate,
    async connect(wire) {
      const kv = await Deno.openKv(path);
      return { store: new DenoKvStore({ kv: new LateKv(kv, wire), attempts: 1000 }), close: () => kv.close() };
    },
  };
}

class LateKv implements KvDatabase {
  readonly #kv: Deno.Kv;
  readonly #wire: Wire;

  constructor(kv: Deno.Kv, wire: Wire) {
    this.#kv = kv;
    this.#wire = wire;
  }

  getMany(keys: KvKeyPart[][]): Promise<KvEntry[]> {
    return this.#wire.pass(() => this.#kv.getMany(keys) as Promise<KvEntry[]>);
  }

  atomic(): KvAtomic {
    const atomic = this.#kv.atomic() as KvAtomic;
    const commit = atomic.commit.bind(atomic);
    return Object.assign(atomic, { commit: () => this.#wire.pass(commit) });
  }

  list(selector: { prefix: KvKeyPart[] }): AsyncIterable<KvEntry> {
    return this.#kv.list(selector) as AsyncIterable<KvEntry>;
  }

  delete(key: KvKeyPart[]): Promise<void> {
    return this.#kv.delete(key);
  }

  close(): void {}
}

/** Durable Objects in this process, which decide by their own clock, with delayed storage. */
export function lateObjects(): LateSubject {
  const objects = new Map<string, RateLimitObject>();
  return {
    name: "Durable Objects",
    earlyMs: () => 0,
    connect(wire) {
      const storage = () => {
        const values = new Map<string, unknown>();
        return {
          async list() {
            await wire.late();
            return new Map(values);
          },
          async put(name: string, value: Float64Array) {
            await wire.late();
            values.set(name, value);
          },
          async delete(name: string) {
            await wire.late();
            return values.delete(name);
          },
        };
      };
      const namespace = {
        idFromName: (name: string) => name,
        get(name: string) {
          const object = objects.get(name) ?? new RateLimitObject({ storage: storage() });
          objects.set(name, object);
          return {
            fetch: (url: string, init: { method: string; body: string }) =>
              wire.pass(() => object.fetch(new Request(url, init))),
          };
        },
      };
      return { store: new DurableObjectStore({ namespace }), close() {} };
    },
  };
}

/**
 * An SQLite file, used by workers: a decision is synchronous, and each of its statements is delayed.
 *
 * @param path The file
 */
export function lateSqlite(path: string): LateSubject {
  return {
    name: "SQLite",
    earlyMs: () => 0,
    connect(wire) {
      const worker = new Worker(new URL("./sqlite_worker.ts", import.meta.url), { type: "module" });
      const ask = (takes: readonly Take[], times = 1) => {
        const { promise, resolve, reject } = Promise.withResolvers<Verdict[]>();
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(event.message));
        };
        worker.postMessage({ path, takes, times, lateMs: wire.mostMs === 0 ? 0 : 5 });
        return promise;
      };
      const store: Store = {
        capabilities: SQLITE,
        decide: (takes, times) => wire.pass(() => ask(takes, times)),
        give: () => false,
        reset: () => 0,
        // creates the table
        warm: async () => void await ask([]),
      };
      return { store, close: () => worker.terminate() };
    },
  };
}

const SQLITE = new SqliteStore({ database: new DatabaseSync(":memory:") }).capabilities;

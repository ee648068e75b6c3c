/**
 * One of the processes that share a Redis server: takes units of one key, many concurrently, and prints how many it was
 * granted. It starts when it gets a line on standard input.
 */
import { linesOf } from "../../../scripts/lines.ts";
import { Limiter, type LimitOptions, RedisStore } from "../../mod.ts";

/** Input of a taker. */
export interface TakerOrder {
  /** The server. */
  readonly url: string;
  /** Key. */
  readonly key: string;
  /** The limit. */
  readonly limit: LimitOptions;
  /** Takes. */
  readonly takes: number;
  /** Whether decisions of one turn are merged. */
  readonly coalesce: boolean;
  /** Maximum number of decisions taken in advance. */
  readonly leases?: number;
  /** Processes. */
  readonly processes: number;
}

/** Output of a taker. */
export interface TakerReport {
  /** Takes admitted. */
  readonly admitted: number;
  /** Takes the store decided. */
  readonly byStore: number;
}

if (import.meta.main) {
  for await (const line of linesOf(Deno.stdin.readable)) console.log(JSON.stringify(await work(JSON.parse(line))));
}

async function work({ url, key, limit, takes, coalesce, leases, processes }: TakerOrder): Promise<TakerReport> {
  const store = new RedisStore({ url });
  // nothing may decide in place of the store, however busy the machine is
  const limiter = new Limiter({
    ...limit,
    ...{ store, coalesce, leases, processes },
    ...{ denyCache: false, timeoutMs: 60_000, onStoreFailure: "closed" },
  });
  await limiter.warm();
  const decisions = await Promise.all(Array.from({ length: takes }, () => limiter.check(key)));
  await limiter.close();
  return {
    admitted: decisions.filter(({ allowed }) => allowed).length,
    byStore: decisions.filter(({ decidedBy }) => decidedBy === "store").length,
  };
}

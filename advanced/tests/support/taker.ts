/**
 * One of the processes that share a database. It takes units from one key, many concurrently, and prints how many were
 * granted. It starts when it reads a line from standard input.
 */
import { linesOf } from "../../../scripts/lines.ts";
import { type Decision, Limiter, type LimitOptions, type Store } from "../../mod.ts";
import { storeAt } from "./store_at.ts";

/** A taker's input. */
export interface TakerOrder {
  /** The database's URL. */
  readonly url: string;
  readonly key: string;
  readonly limit: LimitOptions;
  /** Number of takes. */
  readonly takes: number;
  /** Whether decisions in one turn are merged. */
  readonly coalesce: boolean;
  /** Maximum number of decisions taken in advance. */
  readonly leases?: number;
  /** Concurrent takes; all of them by default. */
  readonly callers?: number;
  /** Number of processes that share the server, as passed to the limiter; the actual number by default. */
  readonly processes?: number | undefined;
  /** Time limit for a database decision in ms; by default one that is never reached. */
  readonly timeoutMs?: number;
}

/** A store for each database, so that the connection stays open after the first order. */
const connected = new Map<string, Store>();

async function connect(url: string): Promise<void> {
  if (connected.has(url)) return;
  const store = await storeAt(url);
  connected.set(url, store);
  await store.warm!();
}

/** A taker's output. */
export interface TakerReport {
  /** Takes admitted. */
  readonly admitted: number;
  /** Takes the store decided. */
  readonly byStore: number;
}

async function work(order: TakerOrder): Promise<TakerReport> {
  const { url, key, limit, takes, coalesce, leases, processes, callers = takes, timeoutMs } = order;
  const limiter = new Limiter({
    ...limit,
    ...{ store: await storeAt(url), coalesce, leases, processes, denyCache: false },
    // no fallback may decide instead of the store, however busy the machine is, unless the order sets a time limit
    ...(timeoutMs === undefined ? { timeoutMs: 60_000, onStoreFailure: "closed" } : { timeoutMs }),
  });
  limiter.on("storeFailure", () => {});
  await connect(url);
  const decisions: Decision[] = [];
  let left = takes;
  await Promise.all(Array.from({ length: callers }, async () => {
    while (left-- > 0) {
      decisions.push(await limiter.consume(key));
      // a caller also does other things, such as reading its next request
      if (callers < takes) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }));
  await limiter.close();
  return {
    admitted: decisions.filter(({ allowed }) => allowed).length,
    byStore: decisions.filter(({ decidedBy }) => decidedBy === "store").length,
  };
}

if (import.meta.main) {
  for await (const line of linesOf(Deno.stdin.readable)) console.log(JSON.stringify(await work(JSON.parse(line))));
  await Promise.all([...connected.values()].map((store) => store.close!()));
}

/**
 * One of the processes that share a Redis server: calls its limiter at a constant rate and prints the decisions. Each
 * slice of time begins a new key in all processes at once. Prints `ready`, starts at the time (in ms since 1970) that
 * it reads from standard input, and exits on its own.
 */
import { createSentinel } from "redis";
import { linesOf } from "../../scripts/lines.ts";
import { Limiter, RedisStore } from "../../advanced/mod.ts";

/** Instructions for the process. */
export interface LimiterOrder {
  /** Redis's address: a URL, or the port of a sentinel that monitors the server as `main`. */
  readonly redis: string | number;
  readonly processes: number;
  /** Units per key. */
  readonly limit: number;
  readonly slices: number;
  readonly sliceMs: number;
  /** Requests per slice. */
  readonly requests: number;
}

/** A slice's results. */
export interface Slice {
  admitted: number;
  /** Decisions made without the store. */
  byOthers: number;
}

/** The process's results. */
export interface LimiterReport {
  readonly slices: readonly Slice[];
  readonly sent: number;
  /** Requests without a decision. */
  readonly lost: number;
  readonly slowestMs: number;
}

/** Time limit, in ms, for the last decisions to arrive once it has ended. */
const PATIENCE_MS = 5000;

async function storeOf(redis: string | number): Promise<RedisStore> {
  if (typeof redis === "string") return new RedisStore({ url: redis });
  const client = createSentinel({
    name: "main",
    sentinelRootNodes: [{ host: "127.0.0.1", port: redis }],
    maxCommandRediscovers: 0,
    scanInterval: 100,
  });
  client.on("error", () => {});
  await client.connect();
  return new RedisStore({ client });
}

async function work(order: LimiterOrder): Promise<LimiterReport> {
  const { redis, processes, limit, slices, sliceMs, requests } = order;
  const store = await storeOf(redis);
  const limiter = new Limiter({ store, processes, limit, windowMs: 3_600_000, name: "chaos" });
  limiter.on("storeFailure", () => {});
  await limiter.warm();
  console.log("ready");
  const { value: startAt } = await linesOf(Deno.stdin.readable).next();
  const report = { slices: Array.from({ length: slices }, (): Slice => ({ admitted: 0, byOthers: 0 })), slowestMs: 0 };
  let answered = 0;
  let failed = 0;
  const ask = async (slice: number) => {
    const begun = performance.now();
    try {
      const { allowed, decidedBy } = await limiter.consume(`key ${slice}`);
      const counts = report.slices[slice]!;
      if (allowed) counts.admitted++;
      if (decidedBy !== "store") counts.byOthers++;
      answered++;
    } catch {
      failed++;
    }
    report.slowestMs = Math.max(report.slowestMs, performance.now() - begun);
  };
  let sent = 0;
  for (let next = 0; next < slices * requests; next++) {
    const wait = Number(startAt) + next * sliceMs / requests - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    sent++;
    void ask(Math.floor(next / requests));
  }
  for (const end = Date.now() + PATIENCE_MS; answered + failed < sent && Date.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { ...report, sent, lost: sent - answered };
}

console.log(JSON.stringify(await work(JSON.parse(Deno.args[0]!))));
Deno.exit(0);

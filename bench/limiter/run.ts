/**
 * Compares the limiter with its peers and with the minimum possible work: ns in memory and as middleware, bytes per
 * key, pauses, and decisions per second over Redis, SQLite and PostgreSQL. All figures are paired within one run's
 * rounds, because a machine's speed drifts; every contestant has its own process, except for SQL.
 *
 * `--rounds=5 --only=memory,middleware,heap,pauses,redis,sql --keys=10000`; `--keys` skips cases with more clients, in
 * memory and as middleware. About three minutes in full.
 */
import { flags } from "../../scripts/flags.ts";
import { heap } from "./heap.ts";
import { memory } from "./memory.ts";
import { middleware } from "./middleware.ts";
import { pauses } from "./pauses.ts";
import { redis } from "./redis.ts";
import { sql } from "./sql.ts";

const SECTIONS: Readonly<Record<string, (rounds: number, keys: number) => Promise<void>>> = {
  memory,
  middleware,
  heap,
  pauses,
  redis,
  sql,
};

const { only, rounds, keys } = flags({ only: Object.keys(SECTIONS), rounds: 5, keys: 1_000_000 });
for (const name of only) {
  const begin = performance.now();
  await SECTIONS[name]!(rounds, keys);
  console.log(`\n(${((performance.now() - begin) / 1000).toFixed(0)} s)`);
}

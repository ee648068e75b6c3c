/**
 * Compares the limiter with its peers and with the least work possible: ns in memory and as middleware, bytes per key,
 * pauses, decisions per second over Redis. Everything is paired within rounds of one run, because the speed of a
 * machine drifts; every contestant has its own process.
 *
 * `--rounds=5 --only=memory,middleware,heap,pauses,redis`; about three minutes in full.
 */
import { heap } from "./heap.ts";
import { chosen, numberFlag, refuseOthers } from "../support/flags.ts";
import { memory } from "./memory.ts";
import { middleware } from "./middleware.ts";
import { pauses } from "./pauses.ts";
import { redis } from "./redis.ts";

const SECTIONS: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  memory,
  middleware,
  heap,
  pauses,
  redis,
};

refuseOthers("rounds", "only");
const rounds = numberFlag("rounds", 5);
for (const name of chosen("only", Object.keys(SECTIONS))) {
  const begin = performance.now();
  await SECTIONS[name]!(rounds);
  console.log(`\n(${((performance.now() - begin) / 1000).toFixed(0)} s)`);
}

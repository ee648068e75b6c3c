/**
 * Compares the limiter with its peers and with what the machine gives at best: ns in memory and as middleware, bytes per
 * key, pauses, decisions per second over Redis. Everything is paired within rounds of one run, because the speed of a
 * machine drifts; every contestant has a process of its own.
 *
 * `--rounds=5 --only=memory,middleware,heap,pauses,redis`; about three minutes in full.
 */
import { flag } from "../flag.ts";
import { heap } from "./heap.ts";
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

const rounds = Number(flag("rounds") ?? 5);
const only = flag("only")?.split(",") ?? Object.keys(SECTIONS);
for (const name of only) {
  const section = SECTIONS[name];
  if (section === undefined) throw new Error(`there is no section ${name}; there are ${Object.keys(SECTIONS).join()}`);
  const begin = performance.now();
  await section(rounds);
  console.log(`\n(${((performance.now() - begin) / 1000).toFixed(0)} s)`);
}

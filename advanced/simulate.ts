/**
 * Says whom a rate limit would have refused, from a log of what happened:
 * `deno run -A jsr:@sluice/rate-limit/simulate access.log --policy policies.yaml`, and on npm
 * `npx -p @sluice/rate-limit sluice-simulate access.log --policy policies.yaml`.
 *
 * It replays access logs, which it says are an estimate, and the log of a `LoggedMemoryStore`, which it repeats exactly,
 * through the limiter and its algorithms.
 *
 * @example A command of one's own that does the same
 * ```ts ignore
 * import { runSimulation } from "@sluice/rate-limit/simulate";
 *
 * await runSimulation(["access.log", "--policy", "policies.yaml"]);
 * ```
 *
 * @module
 */
import process from "node:process";
import { runSimulation } from "./src/simulate/run_simulation.ts";

export { runSimulation };

if (import.meta.main) await runSimulation(process.argv.slice(2));

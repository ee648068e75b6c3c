/**
 * Reports which clients a rate limit would have refused, from a log of past requests: `deno run -A
 * jsr:@sluice/rate-limit/simulate access.log --policy policies.yaml`, or from npm: `npx -p @sluice/rate-limit
 * sluice-simulate access.log --policy policies.yaml`.
 *
 * It replays the log through the limiter and its algorithms. Access logs give an estimate; a `LoggedMemoryStore` log is
 * reproduced exactly.
 *
 * @example Run it from your own command
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

/**
 * Prints the routes of a program, with the middleware that runs before their handlers, and what that limits and checks:
 * `deno run -A jsr:@sluice/sluice/routes main.ts`, and on npm `npx sluice-routes main.mjs`.
 *
 * The program runs as it is, but its applications do not listen; it is over when the routes are printed. They are those
 * of the applications that it would let listen or that it exports. `--json` prints them as JSON.
 *
 * @example A command of one's own that does the same
 * ```ts ignore
 * import { printProgramRoutes } from "@sluice/sluice/routes";
 *
 * await printProgramRoutes(["src/main.ts", "--json"]);
 * ```
 *
 * @module
 */
// every program has it: what the entries share is then one module of the bundle (docs/decisions/0013-start.md)
import "./mod.ts";
import process from "node:process";
import { printProgramRoutes } from "./src/routes/print_program_routes.ts";

export { printProgramRoutes };

if (import.meta.main) await printProgramRoutes(process.argv.slice(2));

/**
 * The command line: `deno run -A jsr:@sluice/sluice/cli routes main.ts`, and on npm `npx sluice routes main.mjs`.
 *
 * `routes` prints the routes of a program, with the middleware that runs before their handlers, and what that limits and
 * checks. `request` sends a program one request and prints the response. `client` writes a typed client, and `check`
 * compares a program with its OpenAPI document: both need `@sluice/openapi`. The program runs as it is, but its
 * applications do not listen; it is over when the command has printed. With `--json`, both print what programs read.
 *
 * @example A command of one's own that does the same
 * ```ts ignore
 * import { runCli } from "@sluice/sluice/cli";
 *
 * await runCli(["request", "src/main.ts", "/users/7", "--json"]);
 * ```
 *
 * @module
 */
// every program has it: what the entries share is then one module of the bundle (docs/decisions/0013-start.md)
import "./mod.ts";
import process from "node:process";
import { runCli } from "./src/cli/run_cli.ts";

export { runCli };

if (import.meta.main) await runCli(process.argv.slice(2));

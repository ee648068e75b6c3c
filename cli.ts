/**
 * The command line: `deno run -A jsr:@sluice/sluice/cli routes main.ts`, or on npm `npx sluice routes main.mjs`.
 *
 * `routes` prints a program's routes with the middleware in front of each handler, and its limits and validation.
 * `request` sends a program one request and prints the response. `client` generates a typed client and `check` compares
 * a program with its OpenAPI document; both need `@sluice/openapi`. The program runs unchanged, but its applications do
 * not listen, and it exits after the command. With `--json`, `routes`, `request` and `check` print JSON.
 *
 * @example Your own command that does the same
 * ```ts ignore
 * import { runCli } from "@sluice/sluice/cli";
 *
 * await runCli(["request", "src/main.ts", "/users/7", "--json"]);
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";
import process from "node:process";
import { runCli } from "./src/cli/run_cli.ts";

export { runCli };

if (import.meta.main) await runCli(process.argv.slice(2));

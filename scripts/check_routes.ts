/**
 * `deno task check:routes <module>`: searches a program's routes for regular expressions that a hostile path can make
 * slow, with recheck. Unlike the check at registration, it finds polynomial time and examines long expressions.
 *
 * It imports the module, which must export its application or router, and should not listen when imported. Exits with 1
 * if an expression is slow. `--timeout=ms` applies to each expression, 10 000 by default; beyond that, the result is
 * "unknown".
 */
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { table } from "../bench/support/table.ts";
import type { Layer } from "../src/matching/layer.ts";
import { flags } from "./flags.ts";

/** An expression, and its location. */
interface Examined {
  readonly path: string;
  readonly regexp: RegExp;
}

/** Something with layers: an application's router, or a router. */
interface Stacked {
  readonly stack: readonly Layer[];
}

const file = Deno.args.find((arg) => !arg.startsWith("--"));
if (file === undefined) throw new TypeError("check:routes takes the module that exports the application");
const { timeout } = flags({ timeout: 10_000 }, Deno.args.filter((arg) => arg !== file));

const exported = Object.values(await import(pathToFileURL(resolve(file)).href) as Record<string, unknown>);
const roots = [...new Set(exported.map(stackedIn).filter((one) => one !== undefined))];
if (roots.length === 0) throw new TypeError(`check:routes: ${file} exports no application and no router`);

const examined = roots.flatMap((root) => expressionsOf(root, ""));
// without the native or Java backend that recheck would look for
process.env["RECHECK_SYNC_BACKEND"] = "pure";
const { checkSync } = await import("recheck");

let slow = 0;
const rows = examined.map(({ path, regexp }) => {
  const found = checkSync(regexp.source, regexp.flags, { timeout });
  if (found.status === "vulnerable") slow++;
  const time = found.status === "unknown" ? `unknown: ${found.error.kind}` : found.complexity.summary;
  const attack = found.status === "vulnerable" ? found.attack.pattern : "";
  return [path, String(regexp), time, attack].map(cell);
});
if (rows.length > 0) console.log(table(["path", "expression", "time", "slow for"], rows));
console.log(`${examined.length} expressions, ${slow} slow; paths of whole words and parameters have none`);
Deno.exit(slow > 0 ? 1 : 0);

function stackedIn(value: unknown): Stacked | undefined {
  const found = (value ?? {}) as { stack?: unknown; router?: { stack?: unknown } };
  return [found, found.router].find((one) => Array.isArray(one?.stack)) as Stacked | undefined;
}

function expressionsOf(root: Stacked, prefix: string, around: readonly Stacked[] = []): Examined[] {
  return root.stack.flatMap(({ patterns, mounted }) =>
    patterns.flatMap((pattern) => {
      const path = prefix + (pattern.source instanceof RegExp ? String(pattern.source) : pattern.source);
      const inner = stackedIn(mounted?.source);
      const below = inner === undefined || around.includes(inner) ? [] : expressionsOf(inner, path, [...around, root]);
      // a constrained path otherwise consists of words and parameters
      const own = pattern.whole || pattern.constraints.size > 0 ? [] : [{ path, regexp: pattern.regex }];
      const constraints = [...pattern.constraints].map(([name, regexp]) => ({ path: `:${name} of ${path}`, regexp }));
      return [...own, ...constraints, ...below];
    })
  );
}

// a bar would end the cell
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

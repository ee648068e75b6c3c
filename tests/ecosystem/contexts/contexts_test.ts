/**
 * Programs that find their request through the asynchronous context: one program keeps its tenant there, and one
 * reports its errors to Sentry. Both programs print the same on Sluice as on Express. A third program prints the names
 * of requests and errors in Sentry, which are route names on every runtime.
 */
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { installLocked } from "../../../scripts/locked_packages.ts";
import { run } from "../../../scripts/process.ts";
import { bundled } from "../../contracts/bundled.ts";
import { packageFlags } from "../../support/node_program.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

const ROOT = new URL("../../../", import.meta.url);
const HERE = "tests/ecosystem/contexts/";
/** A separate folder, because most of the other programs do not need Sentry. */
const FOLDER = new URL(".cache/contexts/", ROOT);

/** Each program's output. */
const PRINTED: Readonly<Record<string, unknown>> = {
  tenant: Object.fromEntries(
    ["ada", "ben", "cleo", "dora"].map((tenant) => [tenant, [0, 1, 2, 3, 4].map((i) => `${tenant}-${i}`)]),
  ),
  sentry: ["ada", "ben", "cleo"].map((user, id) => ({
    error: `no stock for ${user}'s book`,
    user,
    method: "POST",
    url: `/orders/${id}`,
    body: { item: `${user}'s book` },
  })),
};

const TITLES: Readonly<Record<string, string>> = {
  tenant: "a tenant in AsyncLocalStorage gets its own notes behind every parser",
  sentry: "Sentry gets the errors of three users at once, each with its own user, URL and body,",
};

/** Output of `transactions.mjs`. */
const NAMED = {
  errors: ["boom: GET /api/boom/:id", "captured: GET /api/captured/:id", "later: GET /api/later/:id"],
  transactions: ["GET /api/boom/:id", "GET /api/captured/:id", "GET /api/later/:id"],
};

/** Runs a program on both frameworks. */
const SIDES: Readonly<Record<string, (program: string) => Promise<unknown>>> = {
  "Express on Node": (program) => printed("node", [program, "express"]),
  "Sluice on Node": async (program) =>
    printed("node", [program, await bundled("tests/ecosystem/support/sluice_on_node.ts", "deno")]),
  "Sluice on Bun": async (program) => printed(bun(), [program, await bundled("mod.ts")]),
  "Sluice on Deno": async (program) => {
    const flags = ["-A", "--quiet", ...await packageFlags("contexts")];
    return printed(Deno.execPath(), ["run", ...flags, HERE + program, "@sluice/sluice"], ROOT);
  },
};

Deno.test.beforeAll(async () => {
  await installLocked(FOLDER, ["@sentry/bun", "@sentry/node", "express", "multer"]);
  for (const name of [...Object.keys(PRINTED), "transactions"]) {
    // bare names resolve only next to their node_modules
    await Deno.copyFile(new URL(`${HERE}${name}.mjs`, ROOT), new URL(`${name}.mjs`, FOLDER));
  }
});

async function printed(command: string, args: string[], cwd = FOLDER): Promise<unknown> {
  const { code, output } = await run(command, args, { limitMs: PATIENCE_MS, quiet: true, cwd: fileURLToPath(cwd) });
  assertEquals(code, 0, output);
  const line = output.split("\n").find((line) => /^[[{]["{]/.test(line));
  return JSON.parse(line ?? `"${output}"`);
}

function bun(): string {
  const runtimes = Deno.env.get("SLUICE_RUNTIMES");
  if (runtimes === undefined) {
    throw new Error("SLUICE_RUNTIMES is not set; deno task test --only=tests/ecosystem installs Bun");
  }
  return `${runtimes}node_modules/.bin/bun`;
}

for (const [name, title] of Object.entries(TITLES)) {
  for (const [side, print] of Object.entries(SIDES)) {
    Deno.test(`${title} on ${side}`, async () => assertEquals(await print(`${name}.mjs`), PRINTED[name]));
  }
}

for (const [side, print] of Object.entries(SIDES).filter(([side]) => side.startsWith("Sluice"))) {
  Deno.test(`Sentry names transactions and errors by the route on ${side}`, async () => {
    assertEquals(await print("transactions.mjs"), NAMED);
  });
}

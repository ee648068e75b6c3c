/** `validate` compared with packages that validate against a document, or display one. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { packageFlags } from "../../tests/support/node_program.ts";
import { startProgram } from "../../tests/support/program.ts";

/** Not in the lock file: it depends on Node types, which would then apply to all tests. */
const VALIDATOR = "npm:express-openapi-validator@5.6.2";

type Sent = readonly [method: string, path: string, body?: unknown];

/** Requests, and whether the routes accept them. */
const REQUESTS: readonly (readonly [Sent, boolean])[] = [
  [["GET", "/notes?limit=3"], true],
  [["GET", "/notes?limit=30"], false],
  [["GET", "/notes?limit=x"], false],
  [["GET", "/notes"], false],
  [["POST", "/notes", { text: "Milk", n: 1 }], true],
  [["POST", "/notes", { text: "M" }], false],
  [["POST", "/notes", { text: "Milk", n: "x" }], false],
  [["POST", "/notes", {}], false],
  [["GET", "/notes/7"], true],
  [["GET", "/notes/x"], false],
];

async function statusOf(origin: string, [method, path, body]: Sent): Promise<number> {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(origin + path, { method, headers: { "content-type": "application/json" }, ...text });
  await response.body?.cancel();
  return response.status;
}

Deno.test("express-openapi-validator judges by the document as validate does, alone and beside it, and swagger-ui-express shows it", async () => {
  const program = fileURLToPath(new URL("support/beside_program.ts", import.meta.url));
  const args = ["run", "-A", "--no-check", "--quiet", ...await packageFlags("beside"), program, VALIDATOR];
  await using served = await startProgram(Deno.execPath(), args, { cwd: Deno.cwd() });
  const origins = (JSON.parse(served.line) as number[]).map((port) => `http://127.0.0.1:${port}`);
  for (const [request, isTaken] of REQUESTS) {
    const statuses = await Promise.all(origins.map((origin) => statusOf(origin, request)));
    const expected = isTaken ? [2, 2, 2] : [4, 4, 4];
    assertEquals([request, statuses.map((status) => Math.floor(status / 100))], [request, expected], `${statuses}`);
  }
  const script = await (await fetch(`${origins[2]}/ui/swagger-ui-init.js`)).text();
  assertStringIncludes(script, '"operationId": "getNotesById"');
  const page = await fetch(`${origins[2]}/ui/`);
  assertStringIncludes(await page.text(), "swagger-ui-init.js");
});

/** CommonJS programs, including programs bundled as CommonJS that load Sluice at run time. */
import { assertEquals } from "@std/assert";
import { createRequire } from "node:module";
import sluice, * as exported from "@sluice/sluice";
import { run } from "../../scripts/process.ts";
import { bundled } from "../contracts/bundled.ts";
import { skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");

/** Prints a response, and the exports that the required function lacks. */
const program = (path: string) => `
  const express = require(${JSON.stringify(path)});
  const { default: again, Router, rateLimit } = express;
  const app = express().use(rateLimit({ windowMs: 1000, limit: 1, keyGenerator: () => "all" }));
  app.use(express.Router().get("/", (req, res) => res.send(again === express && Router === express.Router)));
  const answer = app.handle(new Request("http://localhost/")).then((response) => response.text());
  Promise.all([answer, import(${JSON.stringify(path)})]).then(([text, { default: _, ...names }]) => {
    const lacking = Object.keys(names).filter((name) => name !== "module.exports" && express[name] !== names[name]);
    console.log(text, lacking.join());
  });
`;

Deno.test("require() returns a function that makes applications and has all exports", async () => {
  const required = createRequire(import.meta.url)("../../mod.ts");
  const { "module.exports": _, ...names } = exported as typeof exported & { "module.exports": unknown };
  assertEquals(Object.keys(names).filter((name) => !Object.hasOwn(required, name)), []);
  assertEquals(Object.keys(sluice).filter((name) => !Object.hasOwn(required, name)), []);
  assertEquals(required.default, required);
  const app = required().get("/", (_: unknown, res: exported.Response) => res.send("required"));
  assertEquals(await (await app.handle(new Request("http://localhost/"))).text(), "required");
});

Deno.test("on Node, require() returns the same function", { ignore: skipNode }, async () => {
  const { output } = await run("node", ["-e", program(await bundled("mod.ts"))], { limitMs: PATIENCE_MS, quiet: true });
  assertEquals(output, "true \n");
});

Deno.test("on Bun, require() returns the same function", { ignore: runtimes === undefined }, async () => {
  const args = ["-e", program(await bundled("mod.ts"))];
  const { output } = await run(`${runtimes}node_modules/.bin/bun`, args, { limitMs: PATIENCE_MS, quiet: true });
  assertEquals(output, "true \n");
});

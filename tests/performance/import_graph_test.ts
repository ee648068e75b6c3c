import { assert, assertEquals } from "@std/assert";
import { importGraph } from "../../bench/start/graph.ts";
import { lockFlag } from "../support/node_program.ts";

/** Every module costs a tenth of a millisecond at start, whether anybody needs it or not. */
const MODULES = 124;
const KIBIBYTES = 455;

Deno.test("mod.ts loads no more modules and bytes than it did", async () => {
  const { own } = await importGraph("mod.ts");
  const bytes = own.reduce((sum, module) => sum + module.bytes, 0);
  assert(own.some(({ path }) => path === "src/app/framework_app.ts"), "the graph was not found");
  assert(own.length <= MODULES, `${own.length} modules; load on demand what is rarely needed, or raise the bound`);
  assert(bytes <= KIBIBYTES * 1024, `${(bytes / 1024).toFixed(0)} KiB`);
});

Deno.test("mod.ts loads eight packages", async () => {
  const { packages } = await importGraph("mod.ts");
  const known = ["content-disposition", "content-type", "cookie-es", "encodeurl", "mrmime", "path-to-regexp"];
  assertEquals(packages, [...known, "pathe", "type-is"]);
});

/** Globals that Deno makes when they are first touched, which takes milliseconds. */
const EXPENSIVE = ["process", "Buffer", "setImmediate", "global", "caches", "EventSource"];

Deno.test("a started application has touched no global that the runtime loads on demand, but for process", async () => {
  const mod = new URL("../../mod.ts", import.meta.url).href;
  const code = `
    const touched = [];
    for (const name of ${JSON.stringify(EXPENSIVE)}) {
      Object.defineProperty(globalThis, name, { configurable: true, get: () => void touched.push(name) });
    }
    const { default: sluice } = await import("${mod}");
    const app = sluice().get("/", (req, res) => res.send("done"));
    const response = await app.fetch(new Request("http://localhost/"));
    console.log(JSON.stringify([await response.text(), ...touched]));`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", await lockFlag("touched"), code],
    cwd: new URL("../../", import.meta.url).pathname,
    stderr: "inherit",
  }).output();
  // pathe asks for process.platform when it is imported: 9 ms of a start
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)), ["done", "process"]);
});

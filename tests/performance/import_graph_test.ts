import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { importGraph } from "../../bench/start/graph.ts";
import { packageFlags } from "../support/node_program.ts";

Deno.test("mod.ts loads seven packages", async () => {
  const { packages } = await importGraph("mod.ts");
  assertEquals(
    packages,
    [
      "content-disposition",
      "content-type",
      "cookie-es",
      "encodeurl",
      "path-to-regexp",
      "type-is",
    ],
  );
});

/** Globals that Deno creates on first access, which takes milliseconds, and that no request needs. */
const EXPENSIVE = ["process", "Buffer", "setImmediate", "setTimeout", "caches", "EventSource"];

Deno.test("starting an application accesses no global that the runtime loads on demand", async () => {
  const mod = new URL("../../mod.ts", import.meta.url).href;
  const code = `
    const touched = [];
    let answering = false;
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      const { get, configurable } = Object.getOwnPropertyDescriptor(globalThis, name);
      if (get === undefined || !configurable) continue;
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get() {
          if (!answering || ${JSON.stringify(EXPENSIVE)}.includes(name)) touched.push(name);
          return get.call(globalThis);
        },
      });
    }
    // reading it makes Deno load its server
    Object.defineProperty(Deno, "serve", { configurable: true, get: () => void touched.push("Deno.serve") });
    const { default: sluice } = await import("${mod}");
    const app = sluice().get("/", (req, res) => res.send("done"));
    answering = true;
    const response = await app.fetch(new Request("http://localhost/"));
    console.log(JSON.stringify([await response.text(), ...touched]));`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", ...await packageFlags("touched"), code],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    stderr: "inherit",
  }).output();
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)), ["done"]);
});

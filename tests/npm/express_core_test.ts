/** Both majors of `@sluice/express`, Sluice and its middleware in one program: all of them share one core. */
import { assertEquals } from "@std/assert";
import { installWithNpm, makeProject } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

const PROGRAM = `
  import { createRequire } from "node:module";
  import { readdirSync } from "node:fs";
  import express, { json, Router } from "express";
  import express4, { query } from "express4";
  import sluice, { FrameworkApp } from "@sluice/sluice";
  import { health } from "@sluice/middleware/health";

  const require = createRequire(import.meta.url);
  const app = express().use(health());
  app.get("/", (req, res) => res.send("five"));
  app.use("/four", express4().get("/:id(\\\\d+)", (req, res) => res.send("four " + req.param("id"))));
  app.use("/own", sluice().get("/", (req, res) => res.send("own " + ("param" in req))));
  const server = app.listen(0, async () => {
    const ask = async (path) => {
      const response = await fetch("http://127.0.0.1:" + server.address().port + path);
      return [response.status, await response.text(), response.headers.get("x-powered-by")];
    };
    console.log(JSON.stringify({
      required: [require("express") === express, require("express4") === express4, typeof require("express")],
      core: [express(), express4(), sluice()].map((one) => one instanceof FrameworkApp),
      names: [typeof json, Router === express.Router, typeof query, express4.query === query],
      copies: readdirSync("node_modules/express/node").filter((name) => /framework/.test(name)),
      answers: [await ask("/"), await ask("/four/7"), await ask("/own")],
      live: (await ask("/livez"))[0],
    }));
    await app.close();
  });
`;

Deno.test("both majors, Sluice and its middleware share one core in a program from npm, by import and by require", async () => {
  const project = await makeProject(registry, {
    dependencies: {
      "express": "npm:@sluice/express@^5.2.0",
      "express4": "npm:@sluice/express@^4.22.0",
      "@sluice/sluice": "^0.1.0",
      "@sluice/middleware": "^0.1.0",
    },
  });
  await project.write("program.mjs", PROGRAM);
  await installWithNpm(project);
  const { code, output } = await project.run("node", "program.mjs");
  assertEquals(code, 0, output);
  assertEquals(JSON.parse(output), {
    required: [true, true, "function"],
    core: [true, true, true],
    names: ["function", true, "function", true],
    copies: [],
    answers: [[200, "five", "Express"], [200, "four 7", "Express"], [200, "own false", "Express"]],
    live: 200,
  });
});

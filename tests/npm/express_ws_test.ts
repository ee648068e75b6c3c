/** express-ws, which adds a method to Express's applications and routers, and passes upgrades to them as requests. */
import { assertEquals } from "@std/assert";
import { installWithNpm, makeProject, type Project } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

/** Prints the pages and WebSocket messages that clients get. */
const PROGRAM = `
  const express = require("express");
  const { app, getWss } = require("express-ws")(express());
  const { WebSocket } = require("ws");

  app.use((req, res, next) => {
    req.tenant = "t";
    next();
  });
  app.ws("/echo/:room", (ws, req, next) => next(), (ws, req) => {
    ws.on("message", (text) => ws.send([req.params.room, req.tenant, req.query.a, getWss().clients.size, text].join()));
  });
  app.get("/echo/:room", (req, res) => res.send("a page"));
  const router = express.Router();
  const hasSockets = typeof router.ws === "function";
  if (hasSockets) router.ws("/deep", (ws, req) => ws.on("message", () => ws.send(req.baseUrl)));
  app.use("/mounted", router);

  const server = app.listen(0, "127.0.0.1", async () => {
    const at = "127.0.0.1:" + server.address().port;
    const talk = (path) => new Promise((resolve) => {
      const socket = new WebSocket("ws://" + at + path);
      socket.on("open", () => socket.send("hello"));
      socket.on("message", (data) => {
        resolve(String(data));
        socket.close();
      });
      socket.on("error", () => resolve("refused"));
      socket.on("close", () => resolve("closed"));
    });
    console.log(JSON.stringify({
      hasSockets,
      echo: await talk("/echo/a?a=1"),
      deep: await talk("/mounted/deep"),
      missing: await talk("/missing"),
      page: await (await fetch("http://" + at + "/echo/a")).text(),
    }));
    process.exit(0);
  });
`;

async function projectWith(express: string): Promise<Project> {
  const dependencies = { express, "express-ws": "5.0.2", "ws": "8.19.0" };
  const project = await makeProject(registry, { dependencies, overrides: { express: "$express" } });
  await project.write("program.cjs", PROGRAM);
  await installWithNpm(project);
  return project;
}

const folder = Deno.env.get("SLUICE_RUNTIMES");
const RUNTIMES: readonly (readonly [name: string, ...command: string[]])[] = [
  ["Node", "node"],
  ["Deno", Deno.execPath(), "run", "-A", "--quiet"],
  ...(folder === undefined ? [] : [["Bun", `${folder}node_modules/.bin/bun`] as const]),
];

for (const [major, express, sluice] of [[5, "5.2.1", "^5.2.0"], [4, "4.22.2", "^4.22.0"]] as const) {
  Deno.test(`express-ws serves WebSockets as on Express ${major}`, async () => {
    const theirs = await projectWith(express);
    const ours = await projectWith(`npm:@sluice/express@${sluice}`);
    for (const [runtime, program, ...args] of RUNTIMES) {
      const seenIn = async (project: Project) => {
        const { code, output } = await project.run(program!, ...args, "program.cjs");
        assertEquals(code, 0, output.slice(0, 3000));
        return JSON.parse(output.split("\n").find((line) => line.startsWith("{"))!);
      };
      const [expected, seen] = [await seenIn(theirs), await seenIn(ours)];
      assertEquals(expected.echo, "a,t,1,1,hello", runtime);
      assertEquals(seen, expected, runtime);
    }
  });
}

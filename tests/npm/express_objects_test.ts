/** Properties that programs read from Express's objects, on each runtime: on Express, and on `@sluice/express`. */
import { assert, assertEquals } from "@std/assert";
import { installWithNpm, makeProject } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

const project = await makeProject(registry, {
  dependencies: {
    "sluice-5": "npm:@sluice/express@^5.2.0",
    "sluice-4": "npm:@sluice/express@^4.22.0",
    "express-5": "npm:express@5.2.1",
    "express-4": "npm:express@4.22.2",
    "supertest": "7.2.2",
  },
});
await installWithNpm(project);

/** Accepts a package name, and prints the properties a handler sees behind Node's own server. */
const PROGRAM = `
  const http = require("node:http");
  const { EventEmitter } = require("node:events");
  const request = require("supertest");
  const name = process.argv[2];
  const express = require(name);

  const shown = (object) => Object.keys(object).sort();
  // but for what Node and Express keep for themselves
  const isPublic = (name) => !name.startsWith("_");
  const listed = (object) => {
    const names = [];
    for (const name in object) names.push(name);
    return names.filter(isPublic).sort();
  };
  const app = express();
  app.post("/items/:id", (req, res) => {
    const copy = { ...req };
    const assigned = Object.assign({}, req);
    res.json({
      isNodes: [req instanceof http.IncomingMessage, res instanceof http.ServerResponse],
      own: Object.keys(req).filter(isPublic).sort(),
      copy: [copy.method, copy.url, copy.originalUrl, copy.baseUrl, { ...copy.params }, copy.complete],
      // no own properties of Bun's requests
      nodes: [copy.httpVersion, Array.isArray(copy.rawHeaders)],
      same: [copy.res === res, copy.socket === req.socket, copy.next === req.next],
      assigned: [assigned.method, assigned.url, "headers" in assigned, "query" in assigned, "ip" in assigned],
      listed: listed(req),
      ofResponse: listed(res).filter((name) => typeof res[name] === "function"),
      route: [shown(req.route.methods), req.route.path],
    });
  });
  app.use("/moved", (req, res) => {
    req.url = "/else?a=1";
    req.method = "PATCH";
    res.json([req.url, { ...req }.url, { ...req }.method, req.path, req.originalUrl, Object.create(req).url]);
  });
  (async () => {
    const found = await request(http.createServer(app)).post("/items/7?a=1").send({ b: 2 });
    const moved = await request(app).get("/moved/here");
    console.log(JSON.stringify({
      request: shown(express.request),
      response: shown(express.response),
      // what makes an application in Express, and is done by the class here
      application: shown(express.application).filter((name) => !["init", "defaultConfiguration"].includes(name)),
      found: found.body,
      moved: moved.body,
      index: require(name + "/index.js") === express && require(name + "/index") === express,
    }));
    process.exit(0);
  })();
`;
await project.write("objects.cjs", PROGRAM);

/** A Node server option that is undefined unless set. */
const UNSET = ["joinDuplicateHeaders"];

const runtimes = Deno.env.get("SLUICE_RUNTIMES");
const RUNTIMES: readonly (readonly [name: string, ...command: string[]])[] = [
  ["Node", "node"],
  ["Deno", Deno.execPath(), "run", "-A", "--quiet"],
  ...(runtimes === undefined ? [] : [["Bun", `${runtimes}node_modules/.bin/bun`] as const]),
];

for (const [runtime, program, ...args] of RUNTIMES) {
  for (const major of [5, 4]) {
    Deno.test(`on ${runtime}, programs find on the objects of Express ${major} what they find on Express`, async () => {
      const seenOn = async (name: string) => {
        const { code, output } = await project.run(program!, ...args, "objects.cjs", name);
        assertEquals(code, 0, output.slice(0, 3000));
        return JSON.parse(output.split("\n").find((line) => line.startsWith("{"))!);
      };
      const [theirs, ours] = [await seenOn(`express-${major}`), await seenOn(`sluice-${major}`)];
      assert(theirs.request.length > 15);
      for (const part of ["own", "listed"]) {
        const missing = theirs.found[part].filter((name: string) => !ours.found[part].includes(name));
        assertEquals(missing.filter((name: string) => !UNSET.includes(name)), [], part);
        ours.found[part] = theirs.found[part];
      }
      if (runtime === "Bun") ours.found.nodes = theirs.found.nodes;
      assertEquals(ours, theirs);
    });
  }
}

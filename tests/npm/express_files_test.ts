/**
 * Express's internal files that programs import, and packages that access internals, with Sluice under Express's name.
 */
import { assertEquals } from "@std/assert";
import { installWithNpm, makeProject } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

/** Imports each file, and prints its exports. */
const FILES = `
  import { createRequire } from "node:module";
  import express from "express";
  import Response from "express/lib/response.js";
  const require = createRequire(import.meta.url);
  const file = (path) => require("express/lib/" + path);
  const Layer = file("router/layer");
  const layer = new Layer("/apps/(*)?", null, function found() {});
  const matched = layer.match("/apps/a/b") && layer.params;
  const parsed = { url: "/?a[b]=1" };
  file("middleware/query")()(parsed, {}, () => {});
  const app = express().get("/", () => {});
  console.log(JSON.stringify({
    same: [
      file("application") === express.application, file("express")().constructor === express().constructor,
      file("request") === express.request, file("response.js") === express.response, Response === express.response,
      file("router") === express.Router, file("router/index") === express.Router, file("router/route") === express.Route,
      file("view").name === "View", typeof file("middleware/init").init(app) === "function",
      file("router/layer.js") === Layer, app.router.stack[0] instanceof Layer,
    ],
    layer: [matched, layer.name, Layer("/c", {}, () => {}).match("/d")],
    query: parsed.query,
    trusts: file("utils").compileTrust("loopback")("127.0.0.1", 0),
    flat: file("utils").flatten([1, [2, [3]]]),
  }));
`;

Deno.test("each file of Express is there with what it exports in Express, of the same instance", async () => {
  const project = await makeProject(registry, { dependencies: { express: "npm:@sluice/express@^4.22.0" } });
  await project.write("files.mjs", FILES);
  await installWithNpm(project);
  const { output } = await project.run("node", "files.mjs");
  assertEquals(JSON.parse(output), {
    same: Array.from({ length: 12 }, () => true),
    layer: [{ 0: "a/b" }, "found", null],
    query: { a: { b: "1" } },
    trusts: true,
    flat: [1, 2, 3],
  });
});

/** Packages that patch layers, and packages that read routes from them. */
const PACKAGES = `
  require("express-async-errors");
  const express = require("express");
  const list = require("express-list-endpoints");
  const openapi = require("@wesleytodd/openapi");
  const http = require("node:http");

  const app = express();
  const docs = openapi({ openapi: "3.0.0", info: { title: "t", version: "1" } });
  const router = express.Router();
  router.get("/:id", docs.path({ description: "one", responses: {} }), async () => { throw new Error("caught"); });
  app.use(docs).use("/items", router);
  const deep = express.Router({ mergeParams: true }).get("/leaf", (req, res) => res.end());
  app.use("/t/:tenant", deep);
  app.use((error, req, res, next) => res.status(500).send(error.message));
  const server = http.createServer(app).listen(0, async () => {
    const answer = await fetch("http://127.0.0.1:" + server.address().port + "/items/7");
    const { paths } = docs.generateDocument(docs.document, app._router || app.router);
    console.log(JSON.stringify({
      answer: [answer.status, await answer.text()],
      listed: list(app).map(({ path }) => path),
      documented: Object.entries(paths).map(([path, { get }]) => [path, get.parameters.map(({ name }) => name)]),
    }));
    server.close();
    server.closeAllConnections();
  });
`;

Deno.test("packages that patch or read Express 4's layers do so with Sluice", async () => {
  const project = await makeProject(registry, {
    dependencies: {
      "express": "npm:@sluice/express@^4.22.0",
      "express-async-errors": "3.1.1",
      "express-list-endpoints": "6.0.0",
      "@wesleytodd/openapi": "1.1.0",
    },
    overrides: { express: "$express" },
  });
  await project.write("packages.cjs", PACKAGES);
  await installWithNpm(project);
  const { output } = await project.run("node", "packages.cjs");
  assertEquals(JSON.parse(output), {
    answer: [500, "caught"],
    listed: ["/items/:id", "/t/:tenant/leaf"],
    documented: [["/items/{id}", ["id"]]],
  });
});

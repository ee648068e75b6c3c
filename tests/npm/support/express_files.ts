/** A program that imports Express's internal files by path. */
import { assertEquals } from "@std/assert";
import { EXPRESS_FILES as FILES } from "../../../scripts/express_package.ts";
import type { Project } from "./project.ts";

/**
 * Its arguments are a path in the folder where packages are loaded from, the package name, and paths in its `lib/` as
 * JSON. It loads each file, uses it as such programs do, and prints the results.
 */
const EXPRESS_FILES = `
  process.env.NO_DEPRECATION = "express";
  const { createRequire } = require("node:module");
  const path = require("node:path");
  const [folder, name, files] = process.argv.slice(2);
  const required = createRequire(folder);
  const file = (path) => required(name + "/lib/" + path);
  const express = required(name);
  const [Layer, Route, Router, View] = ["router/layer", "router/route", "router", "view"].map(file);
  const [application, request, response, utils] = ["application", "request", "response", "utils"].map(file);

  const layer = new Layer("/apps/:id", {}, function found(req, res, next) { next(req + res); });
  const matched = Boolean(layer.match("/apps/7"));
  const { params } = layer;
  let handled;
  layer.handle_request("a", "b", (value) => handled = value);
  const open = Layer("/deep/(*)?", { end: false }, () => {});
  const strict = new Layer("/a", { strict: true }, () => {});
  const rest = [Boolean(open.match("/deep/x/y")), open.params, Boolean(strict.match("/a")), Boolean(strict.match("/a/"))];

  const route = new Route("/here").get(function got() {}).all(() => {});
  const router = Router({ strict: true }).get("/r/", (req, res) => res.json(req.query));

  const parsed = { url: "/?a[b]=1&c=d" };
  file("middleware/query")({})(parsed, {}, () => {});

  class Page extends View {}
  const view = new Page("page.html", {
    root: __dirname,
    engines: { ".html": (path, options, callback) => callback(null, options.title) },
  });
  let rendered;
  view.render({ title: "rendered" }, (error, text) => rendered = text);

  const own = file("express");
  request.tenant = function () { return this.get("x-tenant"); };
  response.ok = function (value) { return this.status(202).json({ value }); };
  application.named = function (name) { return this.set("named", name); };
  const app = own().use("/mounted", router);
  app.named("by its prototype").get("/", (req, res) => res.ok([req.tenant(), req.app.get("named")]));

  const server = app.listen(0, async () => {
    const address = "http://127.0.0.1:" + server.address().port;
    const ask = async (path) => {
      const answer = await fetch(address + path, { headers: { "x-tenant": "t" } });
      return [answer.status, await answer.text()];
    };
    console.log(JSON.stringify({
      files: JSON.parse(files).map((path) => [path, typeof file(path), file(path) === file(path + ".js")]),
      manifest: required(name + "/package.json").name,
      same: [
        own === express || own.application === express.application, application === express.application,
        request === express.request, response === express.response, Router === express.Router,
        Route === express.Route, file("router/index") === Router, express().get("view") === View,
      ],
      layer: [matched, params, layer.name, layer.keys.map(({ name }) => name), handled, rest],
      isLayer: app._router.stack.at(-1) instanceof Layer,
      route: [route.path, route.methods, route.stack.map(({ name, method }) => [name, method])],
      query: parsed.query,
      init: [typeof file("middleware/init").init(app), file("middleware/init").init(app).length],
      view: [view.name, view.ext, path.basename(view.path), rendered],
      utils: [
        // another hash
        utils.etag("body"), ...[utils.wetag, utils.compileETag(true)].map((tag) => tag("body").slice(0, "W/'4-".length)),
        utils.compileQueryParser("simple")("a=1&b[c]=2"), utils.compileQueryParser("extended")("a=1&b[c]=2"),
        utils.compileTrust("loopback")("127.0.0.1", 0), utils.compileTrust(1)("10.0.0.1", 1),
        utils.compileETag(false) === undefined, utils.flatten([1, [2, [3]]]), utils.isAbsolute("/a"), Boolean(utils.isAbsolute("a")),
      ],
      answers: [await ask("/"), await ask("/mounted/r/?a=1"), await ask("/mounted/r")],
    }));
    server.close();
    server.closeAllConnections();
  });
`;

/**
 * Runs the program.
 *
 * @param project Project to run it in
 * @param runtime The command that runs it: a program and its arguments
 * @param from A path in the folder where packages are loaded from
 * @param name Name of the package there
 * @returns Its output
 */
export async function seenInFiles(
  project: Project,
  [program, ...args]: readonly string[],
  from: string,
  name: string,
): Promise<{ manifest: string }> {
  await project.write("files.cjs", EXPRESS_FILES);
  await project.write("page.html", "");
  const paths = JSON.stringify(FILES);
  const { code, output } = await project.run(program!, ...args, "files.cjs", from, name, paths);
  assertEquals(code, 0, output);
  return JSON.parse(output);
}

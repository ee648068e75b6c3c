import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import ejs from "ejs";
import type { View } from "@sluice/sluice";
import { ask, askText, quietApp } from "../support/app.ts";
import { runtimeKey } from "../../src/util/runtime_key.ts";

const VIEWS = fileURLToPath(new URL("../fixtures/views", import.meta.url));

function withViews() {
  return quietApp().engine("ejs", ejs.renderFile).set("view engine", "ejs").set("views", VIEWS);
}

Deno.test("a view is rendered by a real engine and sent as HTML", async () => {
  const app = withViews();
  app.get("/", (_req, res) => res.render("page", { title: "<Sluice>" }));
  const response = await ask(app, "/");
  assertEquals([await response.text(), response.headers.get("content-type")], [
    "<h1>&lt;Sluice&gt;</h1>",
    "text/html; charset=utf-8",
  ]);
});

Deno.test("values of the call override those of the response, which override those of the application", async () => {
  const app = withViews();
  app.locals["title"] = "app";
  app.locals["who"] = "app";
  app.get("/", (_req, res) => {
    res.locals["who"] = "response";
    res.locals["title"] = "response";
    res.render("deep/inner.ejs", { title: "call" });
  });
  assertEquals(await askText(app, "/"), "deep call response");
});

Deno.test("several folders are searched in order", async () => {
  const app = withViews().set("views", [`${VIEWS}/none`, `${VIEWS}/deep`]);
  app.get("/", (_req, res) => res.render("inner", { title: "t", who: "w" }));
  assertEquals(await askText(app, "/"), "deep t w");
});

Deno.test("a missing view is an error that names the folders", async () => {
  const error = await new Promise<Error | null>((resolve) =>
    withViews().render("none", {}, (failure) => resolve(failure))
  );
  assertStringIncludes(error!.message, `Failed to lookup view "none" in views directory "${VIEWS}"`);
});

Deno.test("a view that may not be read is an error that says why", async () => {
  const app = withViews();
  const statSync = (path: string): never => {
    throw new Deno.errors.NotCapable(`Requires read access to "${path}", run again with the --allow-read flag`);
  };
  const { [runtimeKey]: runtime } = app;
  const files = { ...runtime.files!, statSync };
  Object.defineProperty(app, runtimeKey, { value: { ...runtime, files } });
  const error = await new Promise<Error | null>((resolve) => app.render("page", {}, (failure) => resolve(failure)));
  assertStringIncludes(error!.message, `in views directory "${VIEWS}"; Requires read access to "${VIEWS}/page.ejs"`);
});

Deno.test("an engine that fails passes its error on", async () => {
  const app = withViews();
  app.get("/", (_req, res) => res.render("page", {}));
  assertEquals((await ask(app, "/")).status, 500);
});

Deno.test("a view rendered for a response that was given meanwhile is an error in the log, and ends no process", async () => {
  const logged = Promise.withResolvers<string>();
  const app = withViews();
  app.on("error", (error) => logged.resolve(String(error)));
  app.get("/", (_req, res, next) => (res.render("page", { title: "late" }), next()));
  assertEquals((await ask(app, "/")).status, 404);
  assertStringIncludes(await logged.promise, "after they are sent");
});

Deno.test("rendering without a callback, or looking up an engine without a name, throws at once", () => {
  const message = "res.render and app.render expect a callback as a function, not";
  assertThrows(() => withViews().render("page", {}), TypeError, `${message} undefined`);
  assertThrows(() => withViews().render("page", {}, "done" as never), TypeError, `${message} "done"`);
  assertThrows(
    () => withViews().getEngine(7 as never),
    TypeError,
    "app.getEngine expects an extension as a string, not 7",
  );
});

Deno.test("an engine may fail with any thenable", async () => {
  const broken = new Error("broken");
  const promises = [Promise.reject(broken), {
    then: (_done: unknown, failed: (error: Error) => void) => failed(broken),
  }];
  for (const promise of promises) {
    const app = quietApp().set("views", VIEWS).engine("ejs", () => promise);
    assertEquals(await new Promise((resolve) => app.render("page.ejs", {}, resolve)), broken);
  }
});

Deno.test("views are cached when the cache is on", async () => {
  const app = withViews().enable("view cache");
  const rendered = () =>
    new Promise<string | undefined>((resolve) => app.render("page", { title: "x" }, (_e, html) => resolve(html)));
  assertEquals([await rendered(), await rendered()], ["<h1>x</h1>", "<h1>x</h1>"]);
  assertEquals(Object.keys(app.cache), ["page"]);
});

Deno.test("however many ways a client finds to spell a view, those that are cached have a bound", async () => {
  const app = withViews().enable("view cache");
  const rendered = (name: string) =>
    new Promise<string | undefined>((resolve) => app.render(name, { title: "x" }, (_e, html) => resolve(html)));
  for (let i = 0; i < 1100; i++) assertEquals(await rendered(`${"./".repeat(i)}page`), "<h1>x</h1>");
  assertEquals(Object.keys(app.cache).length, 1000);
});

Deno.test("engines are registered and found with and without the dot", () => {
  const app = quietApp().engine(".x", ejs.renderFile);
  assertEquals([app.getEngine("x"), app.getEngine(".x")], [ejs.renderFile, ejs.renderFile]);
  assertThrows(() => app.engine("y", "no" as never), Error, "callback function required");
  assertThrows(
    () => app.engine(5 as never, ejs.renderFile),
    TypeError,
    "app.engine expects an extension as a string, not 5",
  );
  assertThrows(
    () => app.render("page", {}, () => {}),
    Error,
    'specified and no extension was provided: "page"; set "view engine"',
  );
});

Deno.test("a view may be an object of the user's own class", async () => {
  class OwnView {
    path = "own";
    constructor(readonly name: string) {}
    render(options: Record<string, unknown>, callback: (error: null, html: string) => void): void {
      callback(null, `${this.name} ${options["a"]}`);
    }
  }
  const app = quietApp().set("view", OwnView);
  app.get("/", (_req, res) => res.render("mine", { a: 1 }));
  assertEquals(await askText(app, "/"), "mine 1");
});

Deno.test("a class that extends the framework's own may look views up elsewhere, as with Express", async () => {
  const app = withViews();
  class Themed extends (app.get("view") as typeof View) {
    override lookup(fileName: string): string | undefined {
      return super.lookup(`deep/${fileName}`) ?? super.lookup(fileName);
    }
  }
  app.set("view", Themed);
  app.get("/:name", (req, res) => res.render(req.params.name, { title: "t", who: "w" }));
  assertEquals([await askText(app, "/inner"), await askText(app, "/page")], ["deep t w", "<h1>t</h1>"]);
});

Deno.test("a view that a program makes itself, as Express does, is found and loads its engine", async () => {
  const OwnView = quietApp().get("view") as typeof View;
  const view = new OwnView("page", { defaultEngine: "ejs", root: VIEWS, engines: {} });
  assertEquals([view.name, view.ext, view.path], ["page", ".ejs", `${VIEWS}/page.ejs`]);
  const text = await new Promise<string | undefined>((resolve, reject) => {
    view.render({ title: "t" }, (error, html) => error === null ? resolve(html) : reject(error));
  });
  assertEquals(text, "<h1>t</h1>");
});

Deno.test("view names invented by a client leave nothing behind", async () => {
  const app = withViews().enable("view cache");
  app.get("/:name", (req, res) => res.render(req.params.name));
  for (const name of ["page.invented", "missing.made-up", "none"]) {
    assertEquals((await ask(app, `/${name}`)).status, 500);
  }
  assertEquals([Object.keys(app.engines), Object.keys(app.cache)], [[".ejs"], []]);
});

Deno.test("a backslash in a view's name separates folders only on Windows, as in Express", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const app = withViews().set("views", `${VIEWS}/deep`);
  app.get("/", (req, res) => res.render(String(req.query["view"]), { title: "t", who: "w" }));
  const asked = (name: string) => ask(app, `/?view=${encodeURIComponent(name)}`).then(({ status }) => status);
  const names = ["inner", "..\\page", "..\\deep\\inner", `${VIEWS}/deep/inner`.replaceAll("/", "\\")];
  assertEquals(await Promise.all(names.map(asked)), [200, 500, 500, 500]);
});

/** Applications and routers that programs derive from, wrap, or insert prototypes into. */
import { assertEquals } from "@std/assert";
import sluice from "@sluice/sluice";
import express from "express";
import { type Any, askBoth } from "../support/sluice_and_express.ts";

/** Ways to derive an object from an application or a router; only a proxy can be called. */
const WAYS: Readonly<Record<string, (original: Any) => Any>> = {
  "Object.create": (original) => Object.create(original),
  "Object.create of Object.create": (original) => Object.create(Object.create(original)),
  "a proxy": (original) => new Proxy(original, {}),
  "an object with it for its prototype": (original) => Object.setPrototypeOf({ extra: 1 }, original),
  "a function with it for its prototype": (original) =>
    Object.setPrototypeOf((req: Any, res: Any, next: Any) => original.handle(req, res, next), original),
};

const ASKS = ["/original", "/derived", "/route", "/all", "/param/7", "/mounted/x", "/unknown", "/seen"];

for (const [way, derive] of Object.entries(WAYS)) {
  Deno.test(`as in Express: ${way} of an application registers, reads and sets what the application does`, async () => {
    const build = (app: Any, lib: Any): void => {
      const derived = derive(app);
      app.get("/original", (_req: Any, res: Any) => res.send("original"));
      const returned = derived.get(
        "/derived",
        (req: Any, res: Any) => res.json([req.app === app, req.app.get("mine")]),
      );
      derived.route("/route").get((_req: Any, res: Any) => res.send("route"));
      derived.all("/all", (_req: Any, res: Any) => res.send("all"));
      derived.param("id", (req: Any, _res: Any, next: Any, id: string) => (req.id = id, next()));
      derived.get("/param/:id", (req: Any, res: Any) => res.send(req.id));
      derived.use("/mounted", lib.Router().get("/x", (_req: Any, res: Any) => res.send("mounted")));
      derived.set("mine", 1).enable("on").disable("off");
      derived.locals.shared = 1;
      derived.engine("x", () => {});
      const seen = [
        returned === derived,
        [app.get("mine"), app.enabled("on"), app.disabled("off"), app.locals.shared, typeof app.engines[".x"]],
        [derived.get("mine"), derived.path(), derived.mountpath, derived.router === app.router],
        derived.request === app.request,
      ];
      derived.get("/seen", (_req: Any, res: Any) => res.json(seen));
    };
    const [ours, theirs] = await askBoth(build, ASKS.map((path) => ({ path })));
    assertEquals(ours, theirs);
    assertEquals(ours[1]!.body, "[true,1]");
  });

  Deno.test(`as in Express: ${way} of an application can be mounted, and passes requests through`, async () => {
    const build = (app: Any, lib: Any): void => {
      const inner = lib();
      inner.get("/x", (req: Any, res: Any) => res.json([req.app === inner, req.baseUrl, req.app.mountpath]));
      const derived = derive(inner);
      app.use("/handled", (req: Any, res: Any, next: Any) => derived.handle(req, res, next));
      app.use("/mounted", derived);
    };
    const [ours, theirs] = await askBoth(build, ["/handled/x", "/mounted/x", "/mounted/y"].map((path) => ({ path })));
    assertEquals(ours, theirs);
    assertEquals(ours.map(({ status }) => status), [200, 200, 404]);
  });

  Deno.test(`as in Express: ${way} of a router adds to the router's layers`, async () => {
    const build = (app: Any, lib: Any): void => {
      const router = lib.Router();
      const derived = derive(router);
      derived.use((req: Any, _res: Any, next: Any) => (req.used = 1, next()));
      derived.param("id", (req: Any, _res: Any, next: Any, id: string) => (req.id = id, next()));
      derived.get("/x/:id", (req: Any, res: Any) => res.json([req.used, req.id, req.baseUrl]));
      derived.route("/route").get((_req: Any, res: Any) => res.send("route"));
      app.get("/layers", (_req: Any, res: Any) => res.json([router.stack.length, derived.stack.length]));
      app.use("/original", router);
      app.use("/handled", (req: Any, res: Any, next: Any) => derived.handle(req, res, next));
    };
    const paths = ["/original/x/1", "/original/route", "/handled/x/2", "/handled/route", "/layers", "/handled/y"];
    const [ours, theirs] = await askBoth(build, paths.map((path) => ({ path })));
    assertEquals(ours, theirs);
    assertEquals(ours.map(({ status }) => status), [200, 200, 200, 200, 200, 404]);
  });
}

Deno.test("as in Express: what is assigned to a derived application stays its own", () => {
  const seen = (lib: Any): unknown[] => {
    const app = lib();
    const derived = Object.create(app);
    derived.locals = { own: 1 };
    derived.set = () => "replaced";
    return [app.locals.own, derived.locals.own, derived.enable("x"), derived.disable("x"), app.get("x")];
  };
  assertEquals(seen(sluice), seen(express));
});

Deno.test("a derived application answers, listens and closes like its original", async () => {
  const app = sluice().get("/", (_req, res) => res.send("home"));
  for (const derived of [Object.create(app), new Proxy(app, {})]) {
    assertEquals(await (await derived.fetch(new Request("http://localhost/"))).text(), "home");
    const server = derived.listen(0, "127.0.0.1");
    assertEquals(await (await fetch(`http://127.0.0.1:${server.address().port}/`)).text(), "home");
    assertEquals([derived.server === server, app.server === server], [true, true]);
    await derived.close();
  }
});

import { assertEquals, assertStringIncludes } from "@std/assert";
import express from "express";
import { type ErrorRequestHandler, type Handler, Router } from "@sluice/sluice";
import { ask, askText, quietApp } from "../support/app.ts";
import { type Any, askBoth } from "../support/sluice_and_express.ts";

Deno.test("routes added to a mounted router after the first request are found", async () => {
  const app = quietApp();
  const outer = Router();
  const inner = Router();
  app.use("/out", outer);
  outer.use("/in", inner);
  assertEquals((await ask(app, "/out/in/late")).status, 404);
  inner.get("/late", (_req, res) => res.send("late"));
  assertEquals(await askText(app, "/out/in/late"), "late");
  outer.use("/in", (_req, res) => res.send("behind"));
  assertEquals(await askText(app, "/out/in/other"), "behind");
});

Deno.test("parameter handlers added to a mounted router after the first request run", async () => {
  const app = quietApp();
  const router = Router();
  app.use("/users", router);
  router.get("/:id", (req, res) => res.send(`${req.params["id"]} ${res.locals["seen"]}`));
  assertEquals(await askText(app, "/users/7"), "7 undefined");
  router.param("id", (_req, res, next, value) => {
    res.locals["seen"] = value;
    next();
  });
  assertEquals(await askText(app, "/users/7"), "7 7");
});

Deno.test("a handler of a mounted router may register a route and rewrite the URL to it", async () => {
  const app = quietApp();
  const router = Router();
  app.use("/m", router);
  router.use((req, _res, next) => {
    router.get("/made", (_req, res) => res.send("made"));
    app.get("/m/made", (_req, res) => res.send("too late"));
    req.url = "/made";
    next();
  });
  assertEquals(await askText(app, "/m/anything"), "made");
});

Deno.test("a router mounted below itself answers at every depth", async () => {
  const app = quietApp();
  const router = Router();
  router.use("/a", router);
  router.get("/end", (req, res) => res.send(req.baseUrl));
  app.use("/a", router);
  for (const depth of [1, 2, 5, 80]) assertEquals(await askText(app, `${"/a".repeat(depth)}/end`), "/a".repeat(depth));
  assertEquals((await ask(app, "/a/a/a/a/b")).status, 404);
});

Deno.test("a router mounted below itself is listed once, and serves requests where there are WebSockets too", async () => {
  const app = quietApp();
  const comments = Router({ mergeParams: true });
  comments.get("/", (req, res) => res.send(req.baseUrl));
  comments.use("/replies/:reply", comments);
  app.use("/comments", comments);
  app.ws("/live", { message() {} });
  assertEquals(await askText(app, "/comments/replies/1/replies/2"), "/comments/replies/1/replies/2");
  assertEquals(app.getRegisteredRoutes().map(({ method, fullPath }) => `${method} ${fullPath}`), [
    "GET /comments",
    "WS /live",
  ]);
});

Deno.test("routers mounted twice at every level do not make the index explode", async () => {
  const app = quietApp();
  let inner = Router();
  inner.get("/end", (req, res) => res.send(req.baseUrl));
  for (let level = 0; level < 25; level++) {
    const outer = Router();
    outer.use(inner, inner).use("/a", inner).use("/b", inner);
    inner = outer;
  }
  app.use(inner);
  assertEquals(await askText(app, "/end"), "");
  assertEquals(await askText(app, "/a/b/a/b/end"), "/a/b/a/b");
});

Deno.test("a router mounted at many places answers at each of them", async () => {
  const app = quietApp();
  const router = Router();
  router.get("/:id", (req, res) => res.send(`${req.baseUrl} ${req.params["id"]}`));
  const places = Array.from({ length: 20 }, (_, i) => `/place${i}/all`);
  for (const place of places) app.use(place, router);
  // mounted again at each path that the request has already passed
  for (const place of places) app.use(place, (_req, res) => res.send("behind"));
  for (const place of places) {
    assertEquals(await askText(app, `${place}/7`), `${place} 7`);
    assertEquals(await askText(app, `${place}/7/8`), "behind");
  }
});

Deno.test("a plain request without a method passes through the middleware of nested routers", () => {
  const [outer, inner] = [Router(), Router()];
  const seen: unknown[] = [];
  inner.all("/x", () => void seen.push("a route"));
  inner.use((req, _res, next) => {
    seen.push(req.url);
    next();
  });
  outer.use("/m", inner as Handler);
  outer({ url: "/m/y", method: "" }, {}, (error) => void seen.push(error));
  assertEquals(seen, ["/y", undefined]);
});

Deno.test("a mounted router with a matcher of its own has that asked", async () => {
  const app = quietApp();
  const router = Router();
  router.get("/a", (_req, res) => res.send("its own"));
  const asked: string[] = [];
  const { fastMatcher } = router;
  const stepsFor = (path: string, method: string) => {
    asked.push(`${method} ${path}`);
    return fastMatcher.stepsFor(path, method);
  };
  const own = { stepsFor, leadsToSocket: () => false, reachesSocket: () => false, hasSockets: false };
  Object.defineProperty(router, "fastMatcher", { value: own });
  app.use("/m", router);
  assertEquals(await askText(app, "/m/a"), "its own");
  assertEquals(asked, ["GET /a"]);
});

for (const to of ["/q", "q", "/"]) {
  Deno.test(`a plain request rewritten to "${to}" below a mount is routed as by Express's router`, async () => {
    assertEquals(await rewritten(() => Router(), to), await rewritten((express as unknown as Lib).Router, to));
  });
}

interface Lib {
  Router(): Router;
}

async function rewritten(lib: () => Router, to: string): Promise<string[]> {
  const seen: string[] = [];
  const note = (name: string): Handler => (req, _res, next) => {
    seen.push(`${name} ${req.baseUrl} ${req.url}`);
    next();
  };
  const [outer, inner] = [lib(), lib()];
  inner.use((req, _res, next) => {
    req.url = to;
    next();
  });
  inner.use(note("inner"));
  outer.use("/a", inner as Handler);
  outer.get("/aq", note("joined"));
  outer.get("/a/q", note("route"));
  outer.use(note("outer"));
  for (const url of ["/a", "/a/b", "/a?x=1"]) {
    await new Promise<void>((done) => outer({ method: "GET", url }, {}, () => done()));
  }
  return seen;
}

Deno.test("a plain request with a fragment is routed by its path alone, as by Express's router", async () => {
  for (const router of [Router(), (express as unknown as Lib).Router()]) {
    const seen: string[] = [];
    router.get("/m/:id", (req) => void seen.push(req.params["id"]!));
    router({ method: "GET", url: "/m/a#b?c" }, {}, () => {});
    await Promise.resolve();
    assertEquals(seen, ["a"]);
  }
});

Deno.test("a parameter followed by more text in its segment keeps its name", async () => {
  const app = quietApp();
  app.get("/:name.json", (req, res) => res.json(req.params));
  app.get("/:from-:to", (req, res) => res.json(req.params));
  app.use((_req, res) => res.send("neither"));
  assertEquals(await askText(app, "/list.json"), '{"name":"list"}');
  assertEquals(await askText(app, "/here-there"), '{"from":"here","to":"there"}');
  assertEquals(await askText(app, "/list"), "neither");
});

Deno.test("an application called by a handler without next sends its own final answer, as in Express", async () => {
  const inner = quietApp();
  const logged: unknown[] = [];
  inner.on("error", (error) => void logged.push((error as Error).message));
  inner.set("env", "production");
  inner.get("/served", (_req, res) => res.send("served"));
  inner.get("/fails", () => {
    throw new Error("inner");
  });
  inner.get("/passes", (_req, _res, next) => next(null));
  const outer = quietApp();
  outer.use("/now", (req, res) => inner(req, res));
  outer.use("/later", async (req, res) => {
    await Promise.resolve();
    inner.handle(req, res);
  });
  outer.use("/tick", (req, res) => queueMicrotask(() => inner(req, res)));
  outer.use(((_error, _req, res, _next) => void res.send("outer")) as ErrorRequestHandler);
  const responses = { served: [200, "served"], fails: [500, "Internal Server Error"], passes: [404, "Cannot GET"] };
  for (const way of ["now", "later", "tick"]) {
    for (const [path, [status, text]] of Object.entries(responses)) {
      const response = await ask(outer, `/${way}/${path}`);
      assertEquals([way, path, response.status], [way, path, status]);
      assertStringIncludes(await response.text(), text as string);
    }
  }
  assertEquals(logged, ["inner", "inner", "inner"]);
});

Deno.test("a regular expression mounts wherever it matches nothing, and where its text begins the path, as in Express", async () => {
  const [ours, theirs] = await askBoth((app: Any) => {
    for (const expression of [/(?=\.json$)/, /$/, /\/a$/, /b/]) {
      app.use(expression, (req: Any, res: Any, next: Any) => {
        res.append("Link", `${expression.source} ${req.baseUrl} ${req.url}`);
        next();
      });
    }
  }, ["/", "/x.json", "/a", "/a/a", "/b/a", "/b"].map((path) => ({ path })));
  assertEquals(ours, theirs);
  assertStringIncludes(ours[1]!.headers["link"]!, "(?=\\.json$)  /x.json");
});

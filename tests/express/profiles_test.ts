/** Applications and routers from both Express majors and from Sluice, nested inside one another. */
import { assertEquals, assertThrows } from "@std/assert";
import express4 from "@sluice/express/4";
import express5 from "@sluice/express";
import sluice, { type CreateApp, FrameworkApp, FrameworkRequest, FrameworkResponse } from "@sluice/sluice";

/** The entries by name. */
const ALL: Readonly<Record<string, CreateApp>> = { "Express 4": express4, "Express 5": express5, Sluice: sluice };

/** The profile-specific properties that a handler sees. */
function seen(req: FrameworkRequest, res: FrameworkResponse): unknown {
  const entry = Object.entries(ALL).find(([, { request }]) => Object.prototype.isPrototypeOf.call(request, req));
  return {
    // all have Sluice's request as their prototype
    request: "param" in req ? "Express 4" : entry?.[0],
    response: "sendfile" in res ? "Express 4" : "other",
    nested: typeof req.query["a"] === "object",
    host: req.host,
  };
}

function expected(name: string): unknown {
  return {
    request: name,
    response: name === "Express 4" ? name : "other",
    nested: name === "Express 4",
    host: name === "Express 4" ? "localhost" : "localhost:8000",
  };
}

for (const [outer, makeOuter] of Object.entries(ALL)) {
  for (const [inner, makeInner] of Object.entries(ALL)) {
    Deno.test(`an application of ${inner} keeps its ways in one of ${outer}, which has its own again afterwards`, async () => {
      const child = makeInner();
      const views: unknown[] = [];
      child.use((req, res, next) => {
        views.push(seen(req, res));
        next();
      });
      const app = makeOuter();
      app.use("/in", child);
      app.use((req, res) => {
        views.push(seen(req, res));
        res.end();
      });
      await app.inject("http://localhost:8000/in?a[b]=1", { headers: { host: "localhost:8000" } });
      assertEquals(views, [expected(inner), expected(outer)]);
    });

    Deno.test(`a router of ${inner} works in an application of ${outer}, whose requests and responses it gets`, async () => {
      const router = makeInner.Router();
      router.get("/:id", (req, res) => res.json([seen(req, res), req.params.id]));
      const app = makeOuter();
      app.use("/in", router);
      const response = await app.inject("http://localhost:8000/in/7?a[b]=1", { headers: { host: "localhost:8000" } });
      assertEquals(await response.json(), [expected(outer), "7"]);
    });
  }
}

Deno.test("each has its own X-Powered-By, entity tags and pages for errors", async () => {
  const answers = await Promise.all(
    Object.entries(ALL).map(async ([name, make]) => {
      const app = make().get("/", (_req, res) => void res.send("body")).set("env", "test");
      const found = await app.inject("/");
      const missing = await app.inject("/missing", { headers: { accept: "application/json" } });
      const { headers } = found;
      return [name, headers.get("x-powered-by"), headers.get("etag")!.length, missing.headers.get("content-type")];
    }),
  );
  assertEquals(answers, [
    ["Express 4", "Express", 33, "text/html; charset=utf-8"],
    ["Express 5", "Express", 33, "text/html; charset=utf-8"],
    ["Sluice", null, 17, "application/json; charset=utf-8"],
  ]);
});

Deno.test("what is added to one's prototypes is nobody else's", () => {
  for (const [name, { application, request, response }] of Object.entries({ express4, express5 })) {
    Object.assign(request, { mark: name });
    Object.assign(response, { mark: name });
    Object.assign(application, { mark: name });
  }
  const marks = [express4, express5, sluice].map((make) => {
    const app = make();
    return [app, app.request, app.response].map((one) => (one as { mark?: string }).mark);
  });
  assertEquals(marks, [
    ["express4", "express4", "express4"],
    ["express5", "express5", "express5"],
    [undefined, undefined, undefined],
  ]);
  for (const { application, request, response } of [express4, express5]) {
    for (const one of [application, request, response]) delete (one as { mark?: string }).mark;
  }
});

Deno.test("applications of Express have all methods on the object they inherit from, where Feathers looks", () => {
  for (const make of [express4, express5]) {
    for (const name of ["use", "get", "set", "listen", "param", "engine"]) {
      assertEquals(Object.hasOwn(Object.getPrototypeOf(make()), name), true, name);
    }
  }
});

Deno.test("all are of the one class of Sluice's", () => {
  for (const make of Object.values(ALL)) {
    const app = make();
    assertEquals([app instanceof FrameworkApp, app.request instanceof FrameworkRequest], [true, true]);
    assertEquals(app.response instanceof FrameworkResponse, true);
  }
});

Deno.test("older signatures of Express 4's responses", async () => {
  const app = express4();
  // deno-lint-ignore no-explicit-any -- the types name the signatures that Express 4 recommends
  const old = (path: string, respond: (res: any) => unknown) => app.get(path, (_req, res) => void respond(res));
  old("/status", (res) => res.send(201));
  old("/first", (res) => res.send(202, "body"));
  old("/last", (res) => res.send("body", 203));
  old("/json", (res) => res.json(201, { a: 1 }));
  old("/back", (res) => res.redirect("back"));
  old("/redirect", (res) => res.redirect("/x", 303));
  const ask = async (path: string) => {
    const response = await app.inject(path, { headers: { referer: "/from" } });
    return [response.status, await response.text(), response.headers.get("location")];
  };
  assertEquals(await ask("/status"), [201, "Created", null]);
  assertEquals(await ask("/first"), [202, "body", null]);
  assertEquals(await ask("/last"), [203, "body", null]);
  assertEquals(await ask("/json"), [201, '{"a":1}', null]);
  assertEquals((await ask("/back")).toSpliced(1, 1), [302, "/from"]);
  assertEquals((await ask("/redirect")).toSpliced(1, 1), [303, "/x"]);
});

Deno.test("Express 4's parsers leave an empty object where there is no body", async () => {
  for (const name of ["json", "raw", "text", "urlencoded"] as const) {
    const app = express4().use(express4[name]());
    app.post("/", (req, res) => void res.json(req.body));
    assertEquals(await (await app.inject("/", { method: "POST" })).json(), {}, name);
  }
});

Deno.test("Express 4 refuses what is no function, and what it names no longer", () => {
  assertThrows(
    () => express4().get("/", 3 as never),
    TypeError,
    "Route.get() requires a callback function but got a [object Number]",
  );
  assertThrows(
    () => express4().use("/", null as never),
    TypeError,
    "Router.use() requires a middleware function but got a Null",
  );
  assertThrows(
    () => (express4 as unknown as { bodyParser: unknown }).bodyParser,
    Error,
    "must be installed separately",
  );
});

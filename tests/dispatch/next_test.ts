import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type ErrorHandler, type RequestHandler, Router } from "@sluice/sluice";
import { ask, askText, quietApp } from "../support/app.ts";

Deno.test("a chain of synchronous handlers is answered without a promise", () => {
  const app = quietApp();
  app.use((_req, _res, next) => next());
  app.get("/", (_req, res) => res.json({ ok: true }));
  assertEquals(app.fetch(new Request("http://localhost/")) instanceof Response, true);
  assertEquals(app.handle(new Request("http://localhost/")) instanceof Promise, true);
});

Deno.test("a value that is no request is refused, with a hint how to make one", () => {
  const app = quietApp();
  assertThrows(() => app.handle("http://localhost/" as never), TypeError, 'such as new Request("http://localhost/")');
});

Deno.test("a second next() of the same handler is ignored and warned about in development", async () => {
  const warnings: string[] = [];
  const warn = console.warn;
  console.warn = (message) => void warnings.push(message);
  try {
    const app = quietApp().set("env", "development");
    let runs = 0;
    app.use((_req, _res, next) => {
      next();
      next();
    });
    app.use((_req, res) => {
      runs++;
      res.send("once");
    });
    app.use(() => void runs++);
    assertEquals(await askText(app, "/"), "once");
    assertEquals(runs, 1);
  } finally {
    console.warn = warn;
  }
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0]!, "second time");
});

Deno.test("a chain of thousands of synchronous handlers does not exhaust the stack", async () => {
  const app = quietApp();
  for (let i = 0; i < 10_000; i++) app.use((_req, _res, next) => next());
  app.use((_req, res) => res.send("through"));
  assertEquals(await askText(app, "/"), "through");
});

Deno.test("a handler may return a Response or a promise of one, and headers set before are kept", async () => {
  const app = quietApp();
  app.use((_req, res, next) => {
    res.set("x-before", "1");
    res.cookie("a", "b");
    next();
  });
  app.get("/now", () => new Response("now", { status: 201, headers: { "x-own": "2" } }));
  app.get("/later", async () => await Promise.resolve(Response.json({ later: true })));
  app.get("/bare", () => Response.redirect("http://localhost/now", 303));
  const now = await ask(app, "/now");
  assertEquals([now.status, await now.text(), now.headers.get("x-before"), now.headers.get("x-own")], [
    201,
    "now",
    "1",
    "2",
  ]);
  assertEquals(now.headers.getSetCookie(), ["a=b; Path=/"]);
  assertEquals(await (await ask(app, "/later")).json(), { later: true });
  const bare = await ask(app, "/bare");
  assertEquals([bare.status, bare.headers.get("location")], [303, "http://localhost/now"]);
});

Deno.test("throwing a value that is not an error, or rejecting with nothing, is answered with 500", async () => {
  const app = quietApp();
  app.get("/string", () => {
    throw "text";
  });
  app.get("/nothing", () => Promise.reject());
  assertEquals((await ask(app, "/string")).status, 500);
  assertEquals((await ask(app, "/nothing")).status, 500);
});

Deno.test("an error thrown by an error handler goes to the next one", async () => {
  const app = quietApp();
  app.use(() => {
    throw new Error("first");
  });
  app.use((_error: Error, _req: unknown, _res: unknown, _next: unknown) => {
    throw new Error("second");
  });
  // deno-lint-ignore no-explicit-any -- plain JavaScript users write it so
  app.use((error: Error, _req: any, res: any, _next: any) => res.status(500).send(error.message));
  assertEquals(await askText(app, "/"), "second");
});

Deno.test("an error after the answer does not change the answer", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => {
    res.send("sent");
    throw new Error("late");
  });
  const response = await ask(app, "/");
  assertEquals([response.status, await response.text()], [200, "sent"]);
});

Deno.test("details of an error are shown only outside production", async () => {
  const app = quietApp();
  app.get("/", () => {
    throw new Error("secret detail");
  });
  assertStringIncludes(await askText(app, "/"), "secret detail");
  app.set("env", "production");
  const log = console.error;
  console.error = () => {};
  try {
    assertEquals((await askText(app, "/")).includes("secret"), false);
  } finally {
    console.error = log;
  }
});

Deno.test("clients that prefer JSON get errors as JSON", async () => {
  const response = await ask(quietApp(), "/none", { headers: { accept: "application/json" } });
  assertEquals([response.status, await response.json()], [404, { error: "Cannot GET /none" }]);
});

Deno.test("a router accepts a plain request object, as in Express's own tests", () => {
  const router = Router();
  const seen: unknown[] = [];
  router.use("/a", (req, _res, next) => {
    seen.push([req.url, req.baseUrl]);
    next();
  });
  const req = { url: "/a/b?x=1", method: "GET" };
  router.handle(req, {}, (error) => seen.push([error, req.url]));
  assertEquals(seen, [["/b?x=1", "/a"], [undefined, "/a/b?x=1"]]);
});

Deno.test("unknown methods are answered with 404", async () => {
  const app = quietApp();
  app.get("/", (_req, res) => res.send("x"));
  assertEquals((await ask(app, "/", { method: "FROBNICATE" })).status, 404);
});

Deno.test("dispatch finds the last of many routes and skips other prefixes", async () => {
  const app = quietApp();
  let touched = 0;
  for (let i = 0; i < 1000; i++) app.use(`/other${i}`, (_req, _res, next) => (touched++, next()));
  for (let i = 0; i < 1000; i++) app.get(`/r${i}/:id`, (req, res) => res.send(`${i} ${req.params["id"]}`));
  assertEquals(await askText(app, "/r999/7"), "999 7");
  assertEquals(touched, 0);
});

Deno.test("each middleware sees the URL below its own mount, whichever ran before it", async () => {
  const app = quietApp();
  const seen: string[] = [];
  const note = (name: string): RequestHandler => (req, _res, next) => {
    seen.push(`${name} ${req.baseUrl} ${req.url} ${JSON.stringify(req.params)}`);
    next();
  };
  app.use("/a", note("first"), note("second"));
  app.use(note("root"), (req, _res, next) => {
    req.params = { own: "1" };
    next();
  }, note("after own parameters"));
  app.use("/a", note("third"), (req, _res, next) => {
    if (req.url === "/b") req.url = "/c";
    next();
  }, note("rewritten"));
  app.use("/a", (_req, _res, next) => next(new Error("to the error handler")), note("never"));
  const recover: ErrorHandler = (_error, _req, _res, next) => next();
  app.use("/", recover);
  app.use("/a", note("recovered"));
  app.use("/", note("last"));
  app.use((_req, res) => res.send("done"));
  assertEquals(await askText(app, "/a/b"), "done");
  assertEquals(seen, [
    "first /a /b {}",
    "second /a /b {}",
    "root  /a/b {}",
    "after own parameters  /a/b {}",
    "third /a /b {}",
    "rewritten /a /c {}",
    "recovered /a /c {}",
    "last  /a/c {}",
  ]);
});

Deno.test("in a router that a handler calls, a second next() is warned about, and late errors are reported", async () => {
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (message) => void warnings.push(message);
  const reported: string[] = [];
  try {
    const app = quietApp().set("env", "development");
    app.on("error", (error, { phase }) => reported.push(`${phase}: ${error.message}`));
    const router = Router();
    router.param("id", (_req, _res, next) => {
      next();
      next(new Error("late"));
    });
    router.use("/:id", (_req, _res, next) => {
      next();
      next();
    });
    app.use((req, res, next) => router(req, res, next));
    app.get("/:id", (_req, res) => res.send("once"));
    assertEquals(await askText(app, "/7"), "once");
  } finally {
    console.warn = warn;
  }
  assertEquals(warnings, ["next() was called a second time by the same handler; the call was ignored (GET /7)"]);
  assertEquals(reported, ["handler: late"]);
});

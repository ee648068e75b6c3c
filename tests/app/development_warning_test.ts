/** Warnings in development about an application's configuration. */
import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes } from "@std/assert";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { ask, quietApp } from "../support/app.ts";
import { warningsOf } from "../support/warnings.ts";

// deno-lint-ignore no-explicit-any -- what plain JavaScript writes
type Any = any;

/** Returns the warnings from a new application in development that gets requests. */
async function advised(make: (app: FrameworkApp) => unknown, ...asks: (string | [string, RequestInit])[]) {
  return await warningsOf(async () => {
    const app = sluice().set("env", "development");
    make(app);
    for (const one of asks.length === 0 ? ["/"] : asks) {
      const [path, init] = typeof one === "string" ? [one] : one;
      await (await ask(app, path, init)).body?.cancel();
    }
  });
}

Deno.test("a path without a leading slash is named, with the one to write; as in Express it matches nothing", async () => {
  const warned = await advised((app) => {
    app.get("users", () => {}).use("admin/:id", () => {}).ws("chat", { open() {} }).all([":id", "/fine"], () => {});
    sluice.Router().route("inner/*rest");
    app.get("/*rest", (_req, _res, next) => next()).get("{/:optional}/x", () => {}).use(
      "",
      (_req, _res, next) => next(),
    );
  });
  assertEquals(warned, [
    'app.get: the path "users" matches no request, because paths begin with a slash; write "/users"',
    'app.use: the path "admin/:id" matches no request, because paths begin with a slash; write "/admin/:id"',
    'app.ws: the path "chat" matches no request, because paths begin with a slash; write "/chat"',
    'app.all: the path ":id" matches no request, because paths begin with a slash; write "/:id"',
    'Router.route: the path "inner/*rest" matches no request, because paths begin with a slash; write "/inner/*rest"',
  ]);
});

Deno.test("an unknown option of a body parser or of a router is named, but not refused, and those of Express are not", async () => {
  const limit = "1mb";
  const warned = await advised((app) => {
    app.use(sluice.json({ limmit: limit, extended: true, strict: true, reviver: undefined } as Any));
    app.use(sluice.urlencoded({ extendd: true, uploads: 1 } as Any), sluice.text("50mb" as Any));
    app.use(sluice.raw({ type: "*/*", limit, inflate: true, verify: false, defaultCharset: "utf-8" } as Any));
    const all = { limit, extended: true, parameterLimit: 9, depth: 2, charsetSentinel: true, gone: undefined };
    app.use(sluice.urlencoded({ ...all, interpretNumericEntities: true } as Any), sluice.json(all as Any));
    app.use(sluice.Router({ mergeparams: true, prefix: "/x" } as Any));
  });
  assertEquals(warned, [
    "json: there is no option limmit; did you mean limit?",
    "urlencoded: there is no option extendd; did you mean extended?",
    "urlencoded: there is no option uploads; there are limit, type, verify, inflate, defaultCharset, strict, reviver, " +
    "extended, parameterLimit, depth, charsetSentinel, interpretNumericEntities",
    'text expects its options as an object, not "50mb"',
    "Router: there is no option mergeparams; did you mean mergeParams?",
    "Router: there is no option prefix; there are mergeParams, caseSensitive, strict",
  ]);
});

Deno.test("an unknown option of static, and a folder that is not there, are named", async () => {
  const files = fileURLToPath(new URL("../fixtures/files", import.meta.url));
  const known = { acceptRanges: true, cacheControl: true, etag: true, immutable: true, lastModified: true, maxage: 1 };
  const warned = await advised(
    (app) => {
      app.use(sluice.static(files, { ...known, dotfiles: "allow", extensions: false, redirect: true } as Any));
      app.use(sluice.static("nowhere", { maxAgee: 1, hidden: true, cacheContol: undefined } as Any));
      app.use("/file", sluice.static(`${files}/hello.txt`));
    },
    "/missing",
    "/missing",
    "/file/x",
  );
  assertEquals(warned, [
    "serveStatic: there is no option maxAgee; did you mean maxAge?",
    'serveStatic: there is no option hidden; write dotfiles: "allow"',
    `serveStatic: there is no folder ${Deno.cwd()}/nowhere, so no file is found; a relative path starts at the ` +
    "working directory",
    `serveStatic: there is no folder ${files}/hello.txt, so no file is found; create it, or pass another one`,
  ]);
});

Deno.test("a setting whose name is nearly one of Express's is named, and a program's own is not", async () => {
  const warned = await advised((app) => {
    // as JavaScript may; the compiler rejects these names
    const set = (name: string, value: unknown) => app.set(name, value);
    for (const name of ["view engin", "trust-proxy", "json space", "Views", "trust proxies"]) set(name, 1);
    set("trust proxies", 2);
    app.set("title", "own").set("port", 3000).set("trust proxy", 1).set("query parser fn", () => ({}));
  });
  assertEquals(warned, [
    'app.set: the setting "view engin" has no effect; did you mean "view engine"?',
    'app.set: the setting "trust-proxy" has no effect; did you mean "trust proxy"?',
    'app.set: the setting "json space" has no effect; did you mean "json spaces"?',
    'app.set: the setting "Views" has no effect; did you mean "views"?',
    'app.set: the setting "trust proxies" has no effect; did you mean "trust proxy"?',
  ]);
});

Deno.test("a handler whose number of parameters makes it something else is named", async () => {
  const warned = await advised((app) => {
    app.use(((err: Any, _req: Any, res: Any) => res.send(err)) as Any);
    app.use(function onError(error: Any, _req: Any, _res: Any, _next = () => {}) {
      throw error;
    } as Any);
    app.use(((_a: Any, _b: Any, _c: Any, _d: Any, _e: Any) => {}) as Any);
    app.get("/", ((_a: Any, _b: Any, _c: Any, _d: Any, _e: Any) => {}) as Any);
    app.use(((_err: Any, _req: Any, _res: Any, next: Any) => next()) as Any, (_req, _res, next) => next());
  }, ["/", { method: "OPTIONS" }]);
  assertEquals(warned, [
    "app.use: a function with 3 parameters gets (req, res, next), not errors; error handlers have (error, req, res, next)",
    "app.use: a function onError with 3 parameters gets (req, res, next), not errors; error handlers have (error, req, res, next)",
    "app.use: a function with 5 parameters is never called; error handlers have (error, req, res, next)",
    "app.get: a function with 5 parameters is never called; error handlers have (error, req, res, next)",
  ]);
});

Deno.test("app.get with a path alone reads a setting, and says so", async () => {
  assertEquals(await advised((app) => app.get("/users")), [
    'app.get("/users") reads a setting; a route needs a handler, as in app.get("/users", handler)',
  ]);
});

Deno.test("names with brackets are told of where the program has not chosen how they are parsed", async () => {
  const form = (path: string): [string, RequestInit] => [path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "user%5Bname%5D=x",
  }];
  const asks = ["/?a=[b]", "/?filter[name]=x", form("/form"), "/"] as const;
  const routes = (app: FrameworkApp) => app.get("/", (req, res) => res.json(req.query));
  const before = Deno.env.get("NODE_ENV") ?? "";
  Deno.env.set("NODE_ENV", "development");
  const chosen = await advised((app) => {
    routes(app.set("query parser", "simple"))
      .post("/form", sluice.urlencoded({ extended: false }), (req, res) => res.json(req.body));
  }, ...asks);
  assertEquals(chosen, []);
  const warned = await advised((app) => {
    routes(app).post("/form", sluice.urlencoded(), (req, res) => res.json(req.body));
  }, ...asks).finally(() => Deno.env.set("NODE_ENV", before));
  assertEquals(warned, [
    'req.query: names with brackets, as in "filter[name]=x", are not nested; Express 4 nests them: write ' +
    'app.set("query parser", "extended"), or "simple" to keep this',
    'urlencoded: names with brackets, as in "user[name]=x", are not nested; Express 4 nests them: write ' +
    "urlencoded({ extended: true }), or extended: false to keep this",
  ]);
});

Deno.test("the factory of routers in place of a router is refused, since it would answer no request", async () => {
  const app = quietApp().use(sluice.Router as Any);
  const response = await ask(app, "/");
  assertStringIncludes(await response.text(), "Router() makes the middleware: register Router(), not Router");
});

Deno.test("each is told once, also what is made later; nothing in production or in tests", async () => {
  const make = (app: FrameworkApp) => app.get("twice", () => {});
  assertEquals((await advised(make)).length, 1);
  assertEquals(await advised(make), []);
  const late = await warningsOf(async () => {
    const app = sluice().set("env", "development");
    app.use((_req, res) => {
      app.get("registered-later", () => {});
      res.end();
    });
    await ask(app, "/");
    await ask(app, "/");
  });
  assertEquals(late.length, 1);
  for (const env of ["production", "test"]) {
    const warned = await warningsOf(async () => {
      const app = quietApp().set("env", env).set("views engin", "x");
      app.get(`${env}-path`, () => {}).use(sluice.json({ [`${env}Option`]: 1 } as Any), sluice.static("nowhere"));
      app.get("/back", (_req, res) => void res.cookie("a", "b", { httponly: true } as Any).redirect("back"));
      await (await ask(app, "/back")).body?.cancel();
      await (await ask(app, "/missing")).body?.cancel();
    });
    assertEquals(warned, []);
    // the next application in development does not repeat the warning
    assertEquals(await advised(() => {}), []);
  }
});

Deno.test("an application that listens tells before its first request", async () => {
  const warned = await warningsOf(async () => {
    const app = sluice().set("env", "development");
    void app.fetch;
    app.get("behind", () => {});
    app.listen({ port: 0, hostname: "127.0.0.1" });
    await app.close();
  });
  assertEquals(warned, [
    'app.get: the path "behind" matches no request, because paths begin with a slash; write "/behind"',
  ]);
});

Deno.test("what responses are told by mistake is named", async () => {
  const root = fileURLToPath(new URL("../fixtures/files", import.meta.url));
  const warned = await advised(
    (app) => {
      const options = { httponly: true, "Max-Age": 5, SameSite: "lax", secure: true, note: "own" } as Any;
      app.get("/cookie", (_req, res) => res.cookie("a", "b", options).cookie("c", "d", { signed: false }).end());
      app.get("/status", (_req, res) => res.send(404 as Any));
      app.get("/number", (_req, res) => res.send(12345 as Any));
      app.get("/back", (_req, res) => res.redirect("back"));
      app.get("/file", (_req, res) => res.sendFile("hello.txt", { root, maxAg: 1, from: root, headers: {} } as Any));
    },
    "/cookie",
    "/cookie",
    "/status",
    "/number",
    "/back",
    "/file",
  );
  assertEquals(warned, [
    "res.cookie: there is no option httponly; did you mean httpOnly?",
    "res.cookie: there is no option Max-Age; did you mean maxAge?",
    "res.cookie: there is no option SameSite; did you mean sameSite?",
    "res.send(404) sends the number as JSON; in Express 4 it was the status: write res.sendStatus(404)",
    'res.redirect("back") goes to the relative URL "back"; in Express 4 it meant the previous page: write ' +
    'res.redirect(req.get("Referrer") || "/")',
    "res.sendFile: there is no option maxAg; did you mean maxAge?",
    "res.sendFile: there is no option from; write root",
  ]);
});

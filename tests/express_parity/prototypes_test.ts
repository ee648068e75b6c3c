import { assertEquals } from "@std/assert";
import sluice from "@sluice/sluice";
import cookieParser from "cookie-parser";
import express from "express";
import { type Any, type Ask, askBoth } from "../support/sluice_and_express.ts";

/** An object as programs see it: whether it inherits nothing, is plain, or neither, and its contents. */
function kind(value: Any): unknown {
  if (typeof value !== "object" || value === null) return String(value);
  const prototype = Object.getPrototypeOf(value);
  const name = prototype === null ? "bare" : prototype === Object.prototype ? "plain" : "of a class";
  return [name, Object.entries(value).map(([key, one]) => [key, Array.isArray(one) ? one : kind(one)])];
}

/** A handler that records the kind of `req.params` and calls next. */
function see(where: string): Any {
  return (req: Any, _res: Any, next: Any) => {
    (req.seen ??= []).push([where, kind(req.params)]);
    next();
  };
}

const tell = (req: Any, res: Any) => res.json(req.seen);

const PATHS = [
  ...[
    "/none",
    "/one/7",
    "/two/7/8",
    "/escaped/a%20b",
    "/optional",
    "/optional/1",
    "/rest/a/b",
    "/listed/1",
    "/route/1",
  ],
  ...["/number/12", "/named/12", "/ungrouped", "/either/b", "/listed-number/2", "/param/3", "/touched", "/assigned"],
  ...["/error/1", "/error", "/unknown", "/application/o", "/application/o/p", "/toString/valueOf"],
];

const MOUNTS = ["literal", "param/outer", "number/5"];
const BELOW = ["/none", "/one/1", "/word/w", "/unknown", "/error"];

function buildParams(app: Any, lib: Any): void {
  app.use(see("use"));
  app.use("/:all", see("use of a parameter"));
  app.use(/^\/(\w)/, see("use of a RegExp"));
  app.use(/^\/one/, see("use of a RegExp without groups"));
  app.use(["/:listed", "/x"], see("use of a list"));
  app.use("/one", see("use of a literal"));
  app.use("/*rest", see("use of a wildcard"));
  app.get("/none", see("no parameter"), see("no parameter, second handler"), tell);
  app.get("/one/:id", see("one"), tell);
  app.get("/two/:id/:other", see("two"), tell);
  app.get("/escaped/:id", see("escaped"), tell);
  app.get("/optional{/:id}", see("optional"), tell);
  app.get("/rest/*rest", see("wildcard"), tell);
  app.get(/^\/number\/(\d+)$/, see("RegExp"), tell);
  app.get(/^\/named\/(?<id>\d+)$/, see("RegExp with a name"), tell);
  app.get(/^\/ungrouped$/, see("RegExp without groups"), tell);
  app.get(/^\/either\/(a)?(b)$/, see("RegExp with an optional group"), tell);
  app.get(["/listed/:id", /^\/listed-number\/(\d+)$/], see("list"), tell);
  app.route("/route/:id").get(see("route"), tell);
  app.get("/:toString/valueOf", see("a name that objects inherit"), tell);
  app.param("counted", (req: Any, res: Any, next: Any) => {
    req.params.added = 1;
    see("app.param")(req, res, next);
  });
  app.get("/param/:counted", see("after app.param"), tell);
  app.get("/touched", (req: Any, _res: Any, next: Any) => (req.params.mine = 1, next()), see("touched"), tell);
  app.get("/assigned", (req: Any, _res: Any, next: Any) => (req.params = { own: 1 }, next()), see("assigned"), tell);
  app.get(["/error", "/error/:id"], () => {
    throw new Error("thrown");
  });
  const inner = lib();
  inner.get("/", see("application"), tell);
  inner.get("/:inner", see("parameter in an application"), tell);
  app.use("/application/:outer", inner);
  for (const mergeParams of [false, true]) {
    const router = lib.Router({ mergeParams });
    router.use(see("router"), see("router, second handler"));
    router.get("/none", see("no parameter in a router"), tell);
    router.get("/one/:inner", see("parameter in a router"), tell);
    router.get(/^\/word\/(\w)/, see("RegExp in a router"), tell);
    router.get("/error", () => {
      throw new Error("thrown");
    });
    router.use((error: Any, req: Any, res: Any, next: Any) =>
      see("router's error handler")(req, res, () => next(error))
    );
    const name = mergeParams ? "merging" : "own";
    app.use([`/${name}/literal`], router);
    app.use(`/${name}/plain`, router);
    app.use(`/${name}/param/:outer`, router);
    app.use(new RegExp(`^/${name}/number/(\\d+)`), router);
    app.use(`/${name}`, see("after the router"));
  }
  app.use((_error: Any, req: Any, res: Any, _next: Any) => {
    see("error handler")(req, res, () => {});
    res.json(req.seen);
  });
  app.use(tell);
}

Deno.test("as in Express: the parameters of path strings inherit nothing, and those of RegExps and merging routers are plain", async () => {
  const below = ["own", "merging"].flatMap((name) =>
    [...MOUNTS, "plain"].flatMap((mount) => BELOW.map((path) => `/${name}/${mount}${path}`))
  );
  const [ours, theirs] = await askBoth(buildParams, [...PATHS, ...below].map((path) => ({ path })));
  assertEquals(ours.map(({ body }) => body), theirs.map(({ body }) => body));
});

Deno.test("as in Express: where no layer is being run, there are neither parameters nor a req.baseUrl", async () => {
  const build = (app: Any, lib: Any): void => {
    const seen: unknown[] = [];
    app.get("/seen", (_req: Any, res: Any) => res.json(seen));
    app.use((req: Any, res: Any, next: Any) => {
      res.on("finish", () => seen.push([req.url, kind(req.params), String(req.baseUrl)]));
      next();
    });
    app.get("/answered/:id", (_req: Any, res: Any) => res.send("answered"));
    const fail = (_req: Any, _res: Any, next: Any) => next(Object.assign(new Error("failed"), { status: 400 }));
    const router = lib.Router().get("/:id", (_req: Any, res: Any) => res.send("answered")).use("/failed/x", fail);
    app.use("/mounted", router);
    app.use("/application", lib().use("/inner", router));
    app.use((error: Any, req: Any, _res: Any, next: Any) => (seen.push(String(req.baseUrl)), next(error)));
  };
  const paths = ["/answered/1", "/unknown", "/mounted/1", "/mounted/1/2", "/mounted/failed/x", "/application/inner/1"];
  const asks = [...paths, "/application/inner/1/2", "/application/inner/failed/x", "/seen"].map((path) => ({ path }));
  const [ours, theirs] = await askBoth(build, asks);
  assertEquals(JSON.parse(ours.at(-1)!.body), JSON.parse(theirs.at(-1)!.body));
});

Deno.test("as in Express: a router that was called with a request leaves req.baseUrl as it was", async () => {
  const bases = (lib: Any): Promise<unknown[]> => {
    const all = [undefined, "", "/outer"].map(async (baseUrl) => {
      const seen: unknown[] = [];
      const see = (req: Any, _res: Any, next: Any) => (seen.push(req.baseUrl), next());
      const router = lib.Router().use(see).use("/a", lib.Router().use(see));
      const req: Any = { method: "GET", url: "/a/b", ...(baseUrl === undefined ? {} : { baseUrl }) };
      await new Promise((resolve) => router(req, {}, resolve));
      return [...seen, req.baseUrl, req.url, req.originalUrl];
    });
    return Promise.all(all);
  };
  assertEquals(await bases(sluice), await bases(express));
});

Deno.test("as in Express: settings, locals, engines and views of an application inherit nothing but its parent's", async () => {
  const build = (app: Any, lib: Any): void => {
    const child = lib();
    app.set("own", 1).use(["/first", "/second"], child);
    const inherits = ["settings", "engines", "cache", "locals"].map((name) => [
      ...[app, child].map((one) => kind(one[name]) && Object.getPrototypeOf(one[name]) === null),
      Object.getPrototypeOf(child[name]) === app[name],
    ]);
    app.get("/", (req: Any, res: Any) =>
      res.json([
        inherits,
        [
          app.mountpath,
          child.mountpath,
          child.get("own"),
          Object.keys(app.locals),
          app.locals.settings === app.settings,
        ],
        [kind(res.locals), Object.getPrototypeOf(req.headers) === Object.prototype],
      ]));
  };
  const [ours, theirs] = await askBoth(build, [{ path: "/" }]);
  assertEquals(ours, theirs);
});

const QUERIES = ["", "?", "?a=1", "?a=1&a=2&b[c]=1&d[e]=2", "?__proto__=1&toString=2&a[__proto__]=3"];
const PARSERS: Record<string, Any> = {
  simple: "simple",
  extended: "extended",
  off: false,
  own: (text: string | null) => ({ text, isString: typeof text === "string" }),
  bare: () => Object.create(null),
  nothing: () => undefined,
};

Deno.test("as in Express: the query inherits nothing, unless a parser makes it something else", async () => {
  const build = (app: Any): void => {
    app.use("/:parser", (req: Any, res: Any) => {
      app.set("query parser", PARSERS[req.params.parser]);
      res.json(kind(req.query) ?? "none");
    });
  };
  const asks = Object.keys(PARSERS).flatMap((parser) => QUERIES.map((query) => ({ path: `/${parser}${query}` })));
  const [ours, theirs] = await askBoth(build, asks);
  assertEquals(ours.map(({ body }) => body), theirs.map(({ body }) => body));
});

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const BODIES: readonly (readonly [string, string, string])[] = [
  ...['{"a":{"b":1}}', "[]", "", '{"__proto__":{"x":1},"a":1}'].map((body) => ["/json", JSON_TYPE, body] as const),
  ...["a=1&b=2", "", "__proto__=1&toString=2&a=3", "a[b]=1"].map((body) => ["/form", FORM, body] as const),
  ...["a[b]=1&c=2", "", "__proto__=1&toString=2&a=3&hasOwnProperty[x]=1"].map((body) =>
    ["/nested", FORM, body] as const
  ),
  ["/json", "text/plain", "text"],
  ["/text", "text/plain", "text"],
];

Deno.test("as in Express: bodies have the prototype of their parser", async () => {
  const build = (app: Any, lib: Any): void => {
    const tellBody = (req: Any, res: Any) => res.json(kind(req.body));
    app.post("/json", lib.json(), tellBody);
    app.post("/form", lib.urlencoded({ extended: false }), tellBody);
    app.post("/nested", lib.urlencoded({ extended: true }), tellBody);
    app.post("/text", lib.text(), tellBody);
  };
  const asks = BODIES.map(([path, type, body]): Ask => ({
    path,
    init: { method: "POST", body, headers: { "content-type": type } },
  }));
  const [ours, theirs] = await askBoth(build, asks);
  assertEquals(ours.map(({ body }) => body), theirs.map(({ body }) => body));
});

const COOKIES = [
  ...[
    "",
    "a=1",
    'a="x"',
    'q="a b"; r="; s=""; t="a"b"; u= "x" ; v="%20"; w="%22"',
    "a=1;a=2; a=",
    'a="";a=2',
    "a",
    "=v",
  ],
  ...["sp ace=1", "a=b=c", "a=%zz", 'a="%zz"', "s=s:v.sig", "toString=2"],
  ...[
    'j=j:{"a":{"b":1}}',
    'j="j:[1]"',
    "j=j%3A%7B%22a%22%3A1%7D; k=j:[1]; z=j:null; y=j:bad; n=j:0; x=1; t=j:true; u=j:",
  ],
  'j=j:{"__proto__":{"x":1}}',
];

Deno.test("cookies are parsed as by cookie-parser: quotes do not belong to a value, and objects are objects again", async () => {
  const build = (app: Any, lib: Any): void => {
    app.get("/", (req: Any, res: Any) => {
      // Express programs have cookie-parser; Sluice parses cookies without it
      if (lib === express) cookieParser()(req, res, () => {});
      res.json(kind(req.cookies));
    });
  };
  const [ours, theirs] = await askBoth(build, [
    { path: "/" },
    ...COOKIES.map((cookie) => ({ path: "/", init: { headers: { cookie } } })),
  ]);
  assertEquals(ours.map(({ body }) => body), theirs.map(({ body }) => body));
});

Deno.test("a cookie that is named __proto__ is dropped: of a plain object it would be the prototype", async () => {
  const app = sluice();
  app.get("/", (req, res) => res.json([req.cookies, Object.getPrototypeOf(req.cookies) === Object.prototype]));
  const request = new Request("http://x/", { headers: { cookie: '__proto__=j:{"a":1}; b=2' } });
  assertEquals(await (await app.fetch(request)).json(), [{ b: "2" }, true]);
});

Deno.test("as in Express: what res.cookie was given comes back through cookie-parser, signed or not", async () => {
  const values: Any = { text: "a b", object: { a: ["ü", 1] }, list: [1], number: 5, nothing: null, quoted: '"q"' };
  const build = (app: Any): void => {
    app.use(cookieParser("secret"));
    app.get("/set/:name/:signed", (req: Any, res: Any) => {
      res.cookie("c", values[req.params.name], { signed: req.params.signed === "signed" }).end();
    });
    app.get("/", (req: Any, res: Any) => res.json([kind(req.cookies), kind(req.signedCookies)]));
  };
  const names = Object.keys(values).flatMap((name) => [`/set/${name}/signed`, `/set/${name}/plain`]);
  const [ours, theirs] = await askBoth(build, names.map((path) => ({ path })));
  assertEquals(ours, theirs);
  const sent = ours.map(({ headers }) => headers["set-cookie"]!.split(";")[0]!);
  const [back, expected] = await askBoth(build, sent.map((cookie) => ({ path: "/", init: { headers: { cookie } } })));
  assertEquals(back, expected);
});

/** No spelling of a target leads to a handler past the policy for its route. */
import { assert, assertEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import { rateLimit } from "@sluice/rate-limit";
import { rateLimit as elysiaLimit } from "@sluice/rate-limit/elysia";
import { rateLimit as fastifyLimit, rateLimitOf as fastifyInfo } from "@sluice/rate-limit/fastify";
import { rateLimit as h3Limit, rateLimitOf as h3Info } from "@sluice/rate-limit/h3";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { rateLimit as koaLimit } from "@sluice/rate-limit/koa";
import { PolicyRules } from "@sluice/rate-limit/rules";
import sluice from "@sluice/sluice";
import { Elysia } from "elysia";
import express from "express";
import fastify from "fastify";
import { H3 } from "h3";
import { Hono } from "hono";
// @ts-types="@types/koa"
import Koa from "koa";
import { seededRandom } from "../../src/testing/seeded_random.ts";

/** Routes of the document; the last two are of a router that is mounted. */
const ROUTES = ["/login", "/shops/:id", "/shops/:id/items", "/files/*", "/api/login", "/api/users/:id"];
const PATHS = [
  "/login",
  "/shops/7",
  "/shops/%37",
  "/shops/7/items",
  "/files/a/b",
  "/files/",
  "/api/login",
  "/api/users/a",
];
const BITS = [
  ...[
    "/",
    "//",
    "/./",
    "/../",
    ".",
    "..",
    ";",
    ";a=b",
    "\\",
    "#",
    "#x",
    "?",
    "?x",
    "'",
    "{",
    "|",
    '"',
    "*",
    ":",
    "@",
    "+",
  ],
  ...["%", "%00", "%0a", "%20", "%25", "%2e", "%2f", "%5c", "%6c", "%a0", "%ff", "\xa0", "\xdf", "\t", "L"],
];
const ORIGINS = [
  ...["http://h", "HTTP://h", "https://h#", "ftp://h", "ws://u@h:1", "http://h?x", "http://", "http:", "http:\\\\h"],
  ...["x:", "//h", "//"],
];
const TIMES = 3000;

/** Sends a target, and tells which route's handler it has reached, if any, and whether a policy concerned it. */
type Send = (target: string) => Promise<void>;
type Reached = (route: number, info: unknown) => void;

const documented = () =>
  new PolicyRules({ policies: ROUTES.map((route) => ({ name: route, routes: [route], limit: 1e9, window: "1h" })) });
const options = () => ({ rules: documented(), missingKey: "share" as const, validate: false });

function* targets(seed: number, paths = PATHS): Generator<string> {
  const random = seededRandom(seed);
  const one = <T>(list: ArrayLike<T>) => list[random(list.length)]!;
  for (let n = 0; n < TIMES; n++) {
    let path = one(paths);
    for (let changes = random(4); changes > 0; changes--) {
      const at = random(3) === 0 ? path.length : random(path.length);
      const other = one([
        one(BITS) + path.charAt(at),
        path.charAt(at).toUpperCase(),
        at < path.length ? `%${path.charCodeAt(at).toString(16)}` : "",
      ]);
      path = path.slice(0, at) + other + path.slice(at + 1);
    }
    yield random(10) < 7 ? path.replace(/^\/?/, "/") : one(ORIGINS) + path;
  }
}

/** A request as Node's server hands it on, whatever its parser lets through. */
function nodeRequest(url: string, headers: Record<string, string> = { host: "h" }) {
  const socket = { remoteAddress: "192.0.2.1", encrypted: false };
  return Object.assign(new EventEmitter(), {
    ...{ method: "GET", url, headers, socket, httpVersion: "1.1" },
    ...{ resume() {}, unpipe() {} },
  });
}

function nodeResponse(ended: () => void) {
  const response = Object.assign(new EventEmitter(), {
    ...{ statusCode: 200, headersSent: false, writableEnded: false, writable: true },
    ...{ setHeader() {}, getHeader() {}, removeHeader() {}, hasHeader: () => false, getHeaders: () => ({}) },
    ...{ getHeaderNames: () => [], writeHead() {}, write: () => true, end: ended, destroy: ended },
  });
  return response;
}

const onNode = (handle: (req: never, res: never) => unknown): Send => (target) =>
  new Promise((ended) => void handle(nodeRequest(target) as never, nodeResponse(ended) as never));

/** A web request whose URL nobody has resolved, as srvx has it. */
const onWeb = (handle: (request: Request) => Response | Promise<Response>): Send => async (target) => {
  const url = target.startsWith("/") ? `http://h${target}` : target;
  if (!/^https?:\/\/h[/?]/i.test(url)) return;
  const response = await handle(Object.defineProperty(new Request("http://h/"), "url", { value: url }));
  await response.body?.cancel();
};

// deno-lint-ignore no-explicit-any -- applications of both
function routed(app: any, router: any, star: string, reached: Reached): void {
  app.use(rateLimit(options()));
  // deno-lint-ignore no-explicit-any -- requests of both
  const handler = (route: number) => (req: any, res: any) => {
    reached(route, req.rateLimit);
    res.end();
  };
  ["/login", "/shops/:id", "/shops/:id/items", star].forEach((path, i) => app.all(path, handler(i)));
  router.all("/login", handler(4));
  router.all("/users/:id", handler(5));
  app.use("/api", router);
  // deno-lint-ignore no-explicit-any -- what can't be decoded
  app.use((_error: any, _req: any, res: any, _next: any) => res.end());
  // deno-lint-ignore no-explicit-any -- what reaches nobody
  app.use((_req: any, res: any) => res.end());
}

const SUBJECTS: Record<string, (reached: Reached) => Send | Promise<Send>> = {
  Sluice(reached) {
    const app = sluice();
    routed(app, sluice.Router(), "/files/*rest", reached);
    return onWeb((request) => app.fetch(request));
  },
  Express(reached) {
    const app = express();
    routed(app, express.Router(), "/files/*rest", reached);
    return onNode(app);
  },
  Hono(reached) {
    const app = new Hono<{ Variables: { rateLimit?: unknown } }>().use(honoLimit(options()));
    ROUTES.forEach((route, i) =>
      app.all(route, (c) => {
        reached(i, c.get("rateLimit"));
        return c.text("");
      })
    );
    return onWeb((request) => app.fetch(request));
  },
  h3(reached) {
    const app = new H3().use(h3Limit(options()));
    ROUTES.forEach((route, i) => {
      app.all(route.replace("*", "**"), (event) => {
        reached(i, h3Info(event));
        return "";
      });
    });
    return onWeb((request) => app.fetch(request));
  },
  Elysia(reached) {
    const app = elysiaLimit(options())(new Elysia());
    ROUTES.forEach((route, i) => {
      app.all(route, ({ rateLimit }) => {
        reached(i, rateLimit);
        return "";
      });
    });
    return onWeb((request) => app.handle(request));
  },
  async Fastify(reached) {
    const app = fastify().addHook("onRequest", fastifyLimit(options()));
    ROUTES.forEach((route, i) =>
      app.get(route, (request) => {
        reached(i, fastifyInfo(request));
        return "";
      })
    );
    await app.ready();
    const send = onNode((req, res) => app.routing(req, res));
    // its router calls URL.parse without URL for others, which Deno does not let it
    return async (target) => target.startsWith("/") ? await send(target) : undefined;
  },
  Koa(reached) {
    const app = new Koa().use(koaLimit(options()));
    app.silent = true;
    // as its routers do, which compare ctx.path
    const patterns = [/^\/login\/?$/i, /^\/shops\/[^/]+\/?$/i, /^\/shops\/[^/]+\/items\/?$/i, /^\/files\/.*$/i];
    app.use((ctx) => {
      const route = patterns.findIndex((pattern) => pattern.test(ctx.path));
      if (route >= 0) reached(route, ctx.state["rateLimit"]);
      ctx.body = "";
    });
    return onNode(app.callback() as never);
  },
};

for (const [name, subject] of Object.entries(SUBJECTS)) {
  Deno.test(`what reaches a handler of ${name} is concerned by the policy for its route`, async () => {
    let last: { readonly route: number; readonly info: unknown } | null = null;
    const send = await subject((route, info) => last = { route, info });
    const past: string[] = [];
    let reached = 0;
    for (const target of targets(4)) {
      last = null;
      await send(target);
      const { route = -1, info } = (last ?? {}) as { route?: number; info?: unknown };
      if (route >= 0) reached++;
      if (route >= 0 && info === undefined) past.push(`${ROUTES[route]} by ${JSON.stringify(target)}`);
    }
    assertEquals(past, []);
    assert(reached > TIMES / 20, `only ${reached} of ${TIMES} targets reached a handler`);
  });
}

Deno.test("a file that is sent is concerned by the policy for its path", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${root}/docs`);
    await Deno.writeTextFile(`${root}/docs/a.txt`, "hello");
    const rules = new PolicyRules({
      policies: [
        { name: "a", routes: ["/docs/a.txt"], limit: 1e9, window: "1h" },
        { name: "by path", routes: ["/docs/*"], key: { path: 2 }, limit: 1e9, window: "1h" },
      ],
    });
    const app = sluice();
    app.use(rateLimit({ rules, validate: false, standardHeaders: "draft-8" }));
    app.use(sluice.static(root));
    const past: string[] = [];
    let sent = 0;
    for (const target of targets(5, ["/docs/a.txt", "//docs//a.txt", "/docs%2fa.txt"])) {
      const request = Object.defineProperty(new Request("http://h/"), "url", { value: `http://h${target}` });
      if (!target.startsWith("/")) continue;
      const response = await app.fetch(request);
      if (await response.text() !== "hello") continue;
      sent++;
      const policies = response.headers.get("ratelimit-policy");
      if (policies !== '"a";q=1000000000;w=3600, "by path";q=1000000000;w=3600') past.push(`${target}: ${policies}`);
    }
    assertEquals(past, []);
    // most are spellings under which no file is served
    assert(sent > TIMES / 20, `only ${sent} of ${TIMES} targets sent the file`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

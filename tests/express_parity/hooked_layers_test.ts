/** Functions that monitoring agents replace in Express, and the resulting calls, on both libraries. */
import { assertEquals } from "@std/assert";
import express from "express";
import sluice from "@sluice/sluice";
import { type Any, serveBoth } from "../support/sluice_and_express.ts";

/** Names of the called functions, by request. */
type Calls = string[];

/** Serves a program with both libraries, sends the requests, and returns the recorded calls. */
async function callsOf(build: (app: Any, lib: Any, calls: Calls) => void, ...paths: string[]): Promise<Calls> {
  const noted: Calls[] = [];
  const [ours, theirs] = await serveBoth((app, lib) => {
    const calls: Calls = [];
    noted.push(calls);
    build(app, lib, calls);
  }, async (origin) => {
    const answers = [];
    for (const path of paths) answers.push(await (await fetch(origin + path)).text());
    return answers;
  });
  assertEquals(ours, theirs);
  assertEquals(noted[0], noted[1]);
  return noted[0]!;
}

/** A program with a router at a path with a parameter, an application, and a route with two handlers. */
function program(app: Any, lib: Any): void {
  app.use(function first(_req: Any, _res: Any, next: Any) {
    next();
  });
  const inner = lib.Router({ mergeParams: true });
  inner.get("/:post", function showPost(req: Any, res: Any) {
    res.json([req.params, req.baseUrl, req.url, req.route.path]);
  });
  app.use("/users/:user", inner);
  const child = lib();
  child.get("/info", function info(req: Any, res: Any) {
    res.json([req.baseUrl, req.route.path]);
  });
  app.use("/child", child);
  app.get("/two", function one(_req: Any, _res: Any, next: Any) {
    next();
  }, function two() {
    throw new Error("two");
  });
  app.get("/router", function leaves(_req: Any, _res: Any, next: Any) {
    next("router");
  });
  app.get("/router", (_req: Any, res: Any) => void res.end("not here"));
  app.use(function failed(error: Any, _req: Any, res: Any, _next: Any) {
    res.status(500).end(error.message);
  });
}

const PATHS = ["/users/7/9", "/child/info", "/two", "/nothing"];

/** Replaces the `handle` of a list's last layer, in one of two ways. */
const REPLACING: Readonly<Record<string, (layer: Any, handle: Any) => void>> = {
  "assigned": (layer, handle) => layer.handle = handle,
  "defined on the layer": (layer, handle) =>
    Object.defineProperty(layer, "handle", { value: handle, configurable: true, enumerable: true, writable: true }),
};

for (const [how, replace] of Object.entries(REPLACING)) {
  Deno.test(`a handle that is ${how} is called for functions, routers, applications and routes, and names stay, as on Express`, async () => {
    const calls = await callsOf((app, lib, calls) => {
      program(app, lib);
      for (const layer of app.router.stack) {
        const { handle } = layer;
        replace(
          layer,
          handle.length === 4
            ? (error: Any, req: Any, res: Any, next: Any) => {
              calls.push(`${layer.name} ${error.message}`);
              return handle(error, req, res, next);
            }
            : (req: Any, res: Any, next: Any) => {
              calls.push(`${layer.name} ${layer.route?.path}`);
              return handle(req, res, next);
            },
        );
      }
    }, ...PATHS);
    assertEquals(calls.slice(0, 4), [
      "first undefined",
      "router undefined",
      "first undefined",
      "mounted_app undefined",
    ]);
  });
}

Deno.test("what replaces how layers are called calls all of them, as on Express", async () => {
  const before = [sluice, express as Any].map((lib) => {
    const prototype = Object.getPrototypeOf(lib().use(() => {}).router.stack[0]);
    return { prototype, handleRequest: prototype.handleRequest, handleError: prototype.handleError };
  });
  let noted: Calls = [];
  for (const { prototype, handleRequest, handleError } of before) {
    prototype.handleRequest = function (req: Any, res: Any, next: Any) {
      if (this.handle.length < 4) noted.push(`${this.name} ${this.method ?? ""} ${this.route?.path ?? ""}`);
      return handleRequest.call(this, req, res, next);
    };
    prototype.handleError = function (error: Any, req: Any, res: Any, next: Any) {
      if (this.handle.length === 4) noted.push(`${this.name} ${error.message}`);
      return handleError.call(this, error, req, res, next);
    };
  }
  try {
    const calls: Calls[] = [];
    const [ours, theirs] = await serveBoth(program, async (origin) => {
      noted = [];
      const answers = [];
      for (const path of PATHS) answers.push(await (await fetch(origin + path)).text());
      calls.push(noted);
      return answers;
    });
    assertEquals(ours, theirs);
    assertEquals(calls[0], calls[1]);
    assertEquals(calls[0]!.slice(0, 4), ["first  ", "router  ", "handle  /:post", "showPost get "]);
  } finally {
    for (const { prototype, ...methods } of before) Object.assign(prototype, methods);
  }
});

Deno.test('next("router") in a wrapped route leaves the router, as on Express', async () => {
  await callsOf((app, lib) => {
    program(app, lib);
    for (const layer of app.router.stack) {
      const { handle } = layer;
      if (layer.route) layer.handle = (req: Any, res: Any, next: Any) => handle(req, res, next);
    }
  }, "/router");
});

Deno.test("a router's own handle gets all requests, and its own route all registrations, as on Express", async () => {
  const calls = await callsOf(
    (app, lib, calls) => {
      const router = lib.Router();
      const { handle, route } = router;
      router.route = function (path: Any) {
        calls.push(`route ${path}`);
        const made = route.call(this, path);
        const { get } = made;
        made.get = function (...handlers: Any[]) {
          calls.push(`get ${handlers.length}`);
          return get.apply(this, handlers);
        };
        return made;
      };
      router.handle = function (req: Any, res: Any, next: Any) {
        calls.push(`handle ${req.url}`);
        return handle.call(this, req, res, next);
      };
      router.get("/x", (_req: Any, _res: Any, next: Any) => next(), (_req: Any, res: Any) => void res.end("x"));
      router.all("/y", (_req: Any, res: Any) => void res.end("y"));
      app.use("/r", router);
    },
    "/r/x",
    "/r/y",
  );
  assertEquals(calls, ["route /x", "get 2", "route /y", "handle /x", "handle /y"]);
});

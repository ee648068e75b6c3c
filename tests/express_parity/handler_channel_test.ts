/** Events for subscribers to `express.router.request`, on both libraries. */
import { assert, assertEquals } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { type Any, serveBoth } from "../support/sluice_and_express.ts";

const PHASES = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;
const channel = tracingChannel("express.router.request");

/** Runs a function, and returns the events published while it runs. */
async function published(run: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const subscribers = Object.fromEntries(PHASES.map((phase) => [phase, (message: Any) => {
    lines.push(`${phase} ${shown(message)}`);
  }])) as Any;
  channel.subscribe(subscribers);
  try {
    await run();
    // some events follow the response
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    channel.unsubscribe(subscribers);
  }
  return lines;
}

function shown({ req, res, layer, handler, route, ...rest }: Any): string {
  const isWhole = req.method !== undefined && res.statusCode !== undefined && layer.handle !== undefined;
  const parts = Object.entries(rest).map(([name, value]) => `${name}=${text(value)}`);
  return [
    isWhole ? "" : "(incomplete) ",
    handler.name,
    ` ${layer.name}`,
    ` ${route}`,
    ...parts.sort().map((one) => ` ${one}`),
  ]
    .join("");
}

function text(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === "object" && value !== null ? "object" : String(value);
}

/** Sends requests to the same program on both libraries, and compares the published events. */
async function compare(build: (app: Any, lib: Any) => void, ...paths: string[]): Promise<string[]> {
  const [ours, theirs] = await serveBoth(build, (origin) =>
    published(async () => {
      for (const path of paths) await (await fetch(origin + path)).text();
    }));
  assertEquals(ours, theirs);
  return ours;
}

Deno.test("handlers and middlewares publish start, end and what they returned, as on Express", async () => {
  const lines = await compare(
    (app, lib) => {
      app.use(function everywhere(_req: Any, _res: Any, next: Any) {
        next();
      });
      const router = lib.Router();
      router.get(["/none", "/users/:id"], function first(_req: Any, _res: Any, next: Any) {
        next();
        return "value";
      }, function second(_req: Any, res: Any) {
        res.end();
      });
      app.use("/api", router);
      app.use("/files", function files(_req: Any, res: Any) {
        res.end();
      });
      app.get(/^\/re/, (_req: Any, res: Any) => void res.end());
    },
    "/api/users/7",
    "/files/a",
    "/re",
    "/missing",
  );
  assertEquals(lines.slice(0, 8), [
    "start everywhere everywhere /",
    "start router router /api",
    "start first first /users/:id",
    "start second second /users/:id",
    "end second second /users/:id result=undefined",
    "end first first /users/:id result=value",
    "end router router /api result=undefined",
    "end everywhere everywhere / result=undefined",
  ]);
});

Deno.test("promises publish asyncStart and asyncEnd with what they gave, as on Express", async () => {
  const lines = await compare(
    (app) => {
      app.get("/given", async function given(_req: Any, res: Any) {
        await undefined;
        res.end();
        return 7;
      });
      app.get("/passed", async function passed(_req: Any, _res: Any, next: Any) {
        await undefined;
        next();
      }, function second(_req: Any, res: Any) {
        res.end();
      });
    },
    "/given",
    "/passed",
  );
  assert(lines.includes("asyncEnd given given /given result=7"));
});

Deno.test("errors are published once, where they come from, as on Express", async () => {
  const lines = await compare(
    (app) => {
      app.get("/thrown", function throwing() {
        throw new Error("thrown");
      });
      app.get("/passed", function passing(_req: Any, _res: Any, next: Any) {
        next(new Error("passed"));
      });
      app.get("/rejected", async function rejecting() {
        await undefined;
        throw new Error("rejected");
      });
      app.get("/empty", function empty() {
        return Promise.reject();
      });
      app.get("/early", async function early(_req: Any, _res: Any, next: Any) {
        next(new Error("early"));
        await undefined;
      });
      app.get("/signals", function toNextRoute(_req: Any, _res: Any, next: Any) {
        next("route");
      });
      app.get("/signals", function thrownSignal() {
        throw "route";
      });
      app.get("/signals", (_req: Any, res: Any) => void res.end());
      app.use(function replaces(error: Any, _req: Any, _res: Any, next: Any) {
        next(error.message === "thrown" ? new Error("replaced") : error);
      });
      app.use(async function handles(error: Any, _req: Any, res: Any, _next: Any) {
        await undefined;
        res.status(500).end(error.message);
      });
    },
    "/thrown",
    "/passed",
    "/rejected",
    "/empty",
    "/early",
    "/signals",
  );
  assertEquals(lines.filter((line) => line.startsWith("error")).slice(0, 3), [
    "error throwing throwing /thrown error=thrown",
    "error replaces replaces / error=replaced errorHandler=true incomingError=thrown",
    "error passing passing /passed error=passed",
  ]);
});

Deno.test("parameter handlers are published with the name of the parameter, as on Express", async () => {
  const lines = await compare(
    (app, lib) => {
      const router = lib.Router();
      router.param("id", function sync(_req: Any, _res: Any, next: Any) {
        next();
      });
      router.param("id", async function later(_req: Any, _res: Any, next: Any, value: Any) {
        await undefined;
        next(value === "bad" ? new Error("bad id") : undefined);
      });
      router.get("/users/:id", function user(_req: Any, res: Any) {
        res.end();
      });
      router.use(function handles(_error: Any, _req: Any, res: Any, _next: Any) {
        res.status(500).end();
      });
      app.use("/api", router);
    },
    "/api/users/7",
    "/api/users/bad",
  );
  assertEquals(lines.slice(0, 2), ["start router router /api", "start sync handle /users/:id param=id"]);
});

Deno.test("an error that leaves routers is published once, as on Express, which leaves them a turn later", async () => {
  const build = (app: Any, lib: Any) => {
    const router = lib.Router();
    router.get("/inner", function inner() {
      throw new Error("inner");
    });
    router.get("/users/:id", function user(_req: Any, res: Any) {
      res.end();
    });
    router.use(function forwards(error: Any, _req: Any, _res: Any, next: Any) {
      next(error);
    });
    app.use("/mounted", lib.Router().use(router));
    app.use(function handles(error: Any, _req: Any, res: Any, _next: Any) {
      res.status(500).end(error.message);
    });
  };
  const [ours, theirs] = await serveBoth(build, (origin) =>
    published(async () => {
      for (const path of ["/mounted/inner", "/mounted/users/%E0"]) await (await fetch(origin + path)).text();
    }));
  assertEquals(ours.toSorted(), theirs.toSorted());
  assertEquals(ours.filter((line) => line.startsWith("error")), ["error inner inner /inner error=inner"]);
});

Deno.test("stores that are bound to the channel are there in handlers, as on Express", async () => {
  const storage = new AsyncLocalStorage<Any>();
  channel.start.bindStore(storage, (message: Any) => message.handler.name);
  const build = (app: Any) => {
    app.get("/", async function handler(_req: Any, res: Any) {
      const before = storage.getStore();
      await undefined;
      res.json([before, storage.getStore()]);
    });
  };
  const [ours, theirs] = await serveBoth(build, async (origin) => await (await fetch(origin)).json());
  channel.start.unbindStore(storage);
  assertEquals(ours, ["handler", "handler"]);
  assertEquals(theirs, ours);
});

Deno.test("without a subscriber nothing is published, and who subscribes later gets what follows", async () => {
  const messages: unknown[] = [];
  await serveBoth((app) => app.get("/", (_req: Any, res: Any) => void res.end()), async (origin) => {
    await (await fetch(origin)).text();
    const note = (message: unknown) => void messages.push(message);
    channel.error.subscribe(note);
    channel.start.subscribe(note);
    await (await fetch(origin)).text();
    channel.error.unsubscribe(note);
    channel.start.unsubscribe(note);
    await (await fetch(origin)).text();
  });
  assertEquals(messages.length, 2);
});

/** The `server timing` setting, and the header it sends. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import sluice, { type FrameworkApp, Router } from "@sluice/sluice";
import { ask, quietApp, serving } from "../support/app.ts";

/** Runs a function with a clock that the test moves. */
async function withClock(run: (pass: (ms: number) => void) => Promise<void>): Promise<void> {
  const { now } = performance;
  let time = 1000;
  performance.now = () => time;
  try {
    await run((ms) => time += ms);
  } finally {
    performance.now = now;
  }
}

async function timingOf(app: FrameworkApp, path: string, init?: RequestInit): Promise<string | null> {
  const response = await ask(app, path, init);
  await response.body?.cancel();
  return response.headers.get("server-timing");
}

Deno.test("Server-Timing is sent only if the setting says so", async () => {
  const app = quietApp().get("/", (_req, res) => void res.json({}));
  assertEquals(await timingOf(app, "/"), null);
  app.enable("server timing");
  assertMatch((await timingOf(app, "/"))!, /^total;dur=/);
  app.disable("server timing");
  assertEquals(await timingOf(app, "/"), null);
});

Deno.test("Server-Timing has the time until the head, and that of each handler until the next", async () => {
  await withClock(async (pass) => {
    const app = quietApp().enable("server timing");
    app.use(function session(_req, _res, next) {
      pass(1);
      next();
    });
    app.use((_req, _res, next) => {
      pass(0.25);
      next();
    });
    const users = new Router().get("/:id", async (_req, _res, next) => {
      pass(3);
      await undefined;
      next();
    }, (_req, res) => {
      pass(4);
      res.json({});
      pass(50);
    });
    app.use("/users", users);
    assertEquals(
      await timingOf(app, "/users/7"),
      'total;dur=8.25, session;dur=1.00, middleware;dur=0.25, route;dur=7.00;desc="/users/:id"',
    );
  });
});

Deno.test("names in Server-Timing are tokens, and descriptions quoted strings", async () => {
  const app = quietApp().enable("server timing");
  app.use(
    Object.defineProperty((_req: unknown, _res: unknown, next: () => void) => next(), "name", { value: "größe a" }),
  );
  app.get(/^\/"\d+é$/, (_req, res) => void res.end());
  const timing = (await timingOf(app, '/"7é'))!.replace(/\d+\.\d+/g, "0");
  // the path is encoded in the request, so this RegExp does not match
  assertEquals(timing, "total;dur=0, gr_e_a;dur=0");
  app.get(/^\/%227(?:"|\\)*/, (_req, res) => void res.end());
  const matched = (await timingOf(app, '/"7'))!.replace(/\d+\.\d+/g, "0");
  assertEquals(matched, 'total;dur=0, gr_e_a;dur=0, route;dur=0;desc="/^\\\\/%227(?:\\"|\\\\\\\\)*/"');
});

Deno.test("Server-Timing comes with every kind of response, once, beside what handlers add", async () => {
  const app = sluice().set("env", "test").enable("server timing");
  app.get("/json", (_req, res) => void res.append("Server-Timing", "db;dur=12").json({}));
  app.get("/response", () => new Response("web", { headers: { "server-timing": "db;dur=12" } }));
  app.get("/shared", () => Response.json({}));
  app.get("/stream", (_req, res) => {
    res.write("a");
    res.end("b");
  });
  app.get("/file", (_req, res) => res.sendFile(new URL("../fixtures/files/hello.txt", import.meta.url).pathname));
  app.get("/redirect", (_req, res) => void res.redirect("/json"));
  app.get("/head", (_req, res) => void res.writeHead(201, { "x-own": "1" }).end());
  app.get("/fails", () => {
    throw new Error("fails");
  });
  await serving(app, async (origin) => {
    const seen: Record<string, [number, number, number]> = {};
    for (const path of ["/json", "/response", "/shared", "/stream", "/file", "/redirect", "/head", "/fails", "/none"]) {
      const response = await fetch(origin + path, { redirect: "manual" });
      await response.body?.cancel();
      const entries = response.headers.get("server-timing")?.split(", ") ?? [];
      const count = (name: string) => entries.filter((entry) => entry.startsWith(`${name};`)).length;
      seen[path] = [response.status, count("total"), count("db")];
    }
    assertEquals(seen, {
      "/json": [200, 1, 1],
      "/response": [200, 1, 1],
      "/shared": [200, 1, 0],
      "/stream": [200, 1, 0],
      "/file": [200, 1, 0],
      "/redirect": [302, 1, 0],
      "/head": [201, 1, 0],
      "/fails": [500, 1, 0],
      "/none": [404, 1, 0],
    });
  });
});

Deno.test("hundreds of middlewares fill no head, and the route is among the entries", async () => {
  const app = quietApp().enable("server timing");
  for (let i = 0; i < 300; i++) {
    app.use(
      Object.defineProperty((_req: unknown, _res: unknown, next: () => void) => next(), "name", { value: `m${i}` }),
    );
  }
  app.get("/", (_req, res) => void res.end());
  const timing = (await timingOf(app, "/"))!;
  assert(timing.length < 1000, `${timing.length} characters`);
  assertMatch(timing, /route;dur=[\d.]+;desc="\/"$/);
});

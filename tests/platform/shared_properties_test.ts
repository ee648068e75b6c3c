/** Properties that middleware sets on a request before, inside and after a mounted application. */
import { assertEquals } from "@std/assert";
import http from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type { FrameworkApp } from "@sluice/sluice";
import { toUpgradeHandler } from "@sluice/sluice/node";
import { quietApp } from "../support/app.ts";

// deno-lint-ignore no-explicit-any -- Express comes without types here
type Any = any;

/** Mounts an application under `/in` in an Express application, and sends it requests. */
async function mounted(
  app: FrameworkApp,
  front: Any,
  behind: Any,
  test: (ask: (path: string) => Promise<Any>) => Promise<void>,
): Promise<void> {
  const server = http.createServer(express().use(front).use("/in", app as Any).use(behind)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await test(async (path) => await (await fetch(`${origin}${path}`)).json());
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const nothing = (_req: Any, _res: Any, next: () => void): void => next();

Deno.test("properties that Express middleware set on its request are on the application's request, also in mounted applications", async () => {
  const inner = quietApp();
  inner.get("/who", (req, res) => res.json({ user: req.user, id: (req as Any).greet(), locals: { ...res.locals } }));
  const app = quietApp().use(inner).use("/deep", inner);
  const front = (req: Any, res: Any, next: () => void): void => {
    req.user = { name: "Ada" };
    req.greet = function () {
      return `Hello ${this.user.name}`;
    };
    res.locals.title = "of Express";
    next();
  };
  await mounted(app, front, nothing, async (ask) => {
    const seen = { user: { name: "Ada" }, id: "Hello Ada", locals: { title: "of Express" } };
    assertEquals([await ask("/in/who"), await ask("/in/deep/who")], [seen, seen]);
  });
});

Deno.test("a session regenerated in the application is the new one outside it too, and vice versa", async () => {
  const app = quietApp();
  app.get("/anew", (req, res) => {
    req.session.renew();
    req.session.user = "Ada";
    res.json(req.session);
  });
  app.get("/away", (req, res) => {
    req.session = null;
    res.json(null);
  });
  const kept: Any[] = [];
  const front = (req: Any, res: Any, next: () => void): void => {
    const session = (number: number): object =>
      Object.defineProperty({ number }, "renew", { value: () => req.session = session(number + 1) });
    req.session = session(1);
    res.on("finish", () => kept.push(req.session));
    next();
  };
  await mounted(app, front, nothing, async (ask) => {
    assertEquals(await ask("/in/anew"), { number: 2, user: "Ada" });
    assertEquals(await ask("/in/away"), null);
  });
  assertEquals(kept.map((session) => session && { ...session }), [{ number: 2, user: "Ada" }, null]);
});

Deno.test("properties an application sets on its request are on the request of later handlers, except its own session", async () => {
  const app = quietApp();
  app.get("/", (req, res, next) => {
    Object.assign(req, { user: "Ada", cookies: { a: "unsigned" }, session: "saved with an answer of its own" });
    res.locals["title"] = "of the application";
    next();
  });
  const behind = (req: Any, res: Any): void => {
    const ours = ["body", "res", "route", "next"].filter((name) => req[name] !== undefined);
    const { user, cookies, session = null } = req;
    res.json({ user, cookies, session, locals: { ...res.locals }, ours, isOwn: req.res === res });
  };
  await mounted(app, nothing, behind, async (ask) => {
    const locals = { title: "of the application" };
    const seen = { user: "Ada", cookies: { a: "unsigned" }, session: null, locals };
    assertEquals(await ask("/in"), { ...seen, ours: ["res", "next"], isOwn: true });
  });
});

Deno.test("later handlers see cookies and a query that the application replaced, and otherwise those of earlier middleware", async () => {
  const app = quietApp();
  app.get("/kept", (_req, _res, next) => next());
  app.get("/replaced", (req, _res, next) => {
    Object.assign(req, { cookies: { a: "new" }, query: { q: "new" } });
    next();
  });
  const front = (req: Any, _res: Any, next: () => void): void => {
    // as cookie-parser and Express 4 do
    for (const name of ["cookies", "query"]) {
      Object.defineProperty(req, name, { value: { old: name }, writable: true, enumerable: true, configurable: true });
    }
    next();
  };
  const behind = (req: Any, res: Any): void => res.json([req.cookies, req.query]);
  await mounted(app, front, behind, async (ask) => {
    assertEquals(await ask("/in/kept?a=1"), [{ old: "cookies" }, { old: "query" }]);
    assertEquals(await ask("/in/replaced?a=1"), [{ a: "new" }, { q: "new" }]);
  });
});

Deno.test("properties that middleware has defined on Express's request are those of the application's, as in Express", async () => {
  const app = quietApp();
  app.get("/", (req, res) => res.json([req.path, req.ip, req.cookies, req.query]));
  const front = (req: Any, _res: Any, next: () => void): void => {
    for (
      const [name, value] of Object.entries({ path: "/other", ip: "other", cookies: { a: "unsigned" }, query: {} })
    ) {
      Object.defineProperty(req, name, { value, enumerable: true });
    }
    next();
  };
  await mounted(app, front, nothing, async (ask) => {
    assertEquals(await ask("/in?$where=1"), ["/other", "other", { a: "unsigned" }, {}]);
  });
});

Deno.test("properties set on a request before its upgrade, as by session parsers in ws's examples, are on the socket's request", async () => {
  const app = quietApp();
  const guard = (req: Any, res: Any, next: () => void): void => req.session?.user ? next() : res.sendStatus(401);
  app.ws("/chat", guard, { open: (ws) => ws.send(`Hello ${ws.data.req.session.user}`) });
  const upgrade = toUpgradeHandler(app);
  const server = http.createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (req: Any, socket, head) => {
    req.session = { user: "Ada" };
    upgrade.call(server, req, socket, head);
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/chat`);
  const said = await new Promise((resolve) => {
    socket.onmessage = ({ data }) => resolve(data);
    socket.onerror = () => resolve("refused");
  });
  const closed = new Promise((resolve) => socket.onclose = resolve);
  await app.close({ timeoutMs: 0 });
  await closed;
  await new Promise((resolve) => server.close(resolve));
  assertEquals(said, "Hello Ada");
});

Deno.test("a reason phrase is passed on with its status, to the application and to later handlers", async () => {
  const shown = (_req: Any, res: Any): void => res.json([res.statusCode, res.statusMessage]);
  const app = quietApp();
  app.get("/shown", shown);
  app.use((_req, res, next) => {
    res.status(207).statusMessage = "Of the application";
    next();
  });
  const front = (_req: Any, res: Any, next: () => void): void => {
    res.status(203).statusMessage = "Of Express";
    next();
  };
  await mounted(app, front, shown, async (ask) => {
    assertEquals(await ask("/in/shown"), [203, "Of Express"]);
    assertEquals(await ask("/in/passed"), [207, "Of the application"]);
  });
});

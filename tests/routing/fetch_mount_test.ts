import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import express from "express";
import { Hono } from "hono";
import { FastResponse } from "srvx/node";
import sluice, { Router } from "@sluice/sluice";
import { quietApp, serving } from "../support/app.ts";
import { rawHead, untilClosed } from "../support/raw_client.ts";

async function ask(app: ReturnType<typeof sluice>, path: string, init?: RequestInit): Promise<[number, string]> {
  const response = await app.fetch(new Request(`http://localhost${path}`, init));
  return [response.status, await response.text()];
}

function hono() {
  const app = new Hono();
  app.get("/", (c) => c.text("root"));
  app.get("/users/:id", (c) => c.text(`user ${c.req.param("id")} ${c.req.query("q") ?? ""}`));
  app.post("/echo", async (c) => c.text(await c.req.text()));
  return app;
}

Deno.test("an application of another framework answers below its mount path, with its own paths", async () => {
  const app = sluice();
  app.mount("/old", hono().fetch);
  app.get("/old/users/7", (_req, res) => res.send("never reached"));
  assertEquals(await ask(app, "/old"), [200, "root"]);
  assertEquals(await ask(app, "/old/users/7?q=x"), [200, "user 7 x"]);
  assertEquals(await ask(app, "/old/echo", { method: "POST", body: "hello" }), [200, "hello"]);
  assertEquals((await ask(app, "/old/missing"))[0], 404);
});

Deno.test("an object with a fetch method, another Sluice app and a plain function mount the same way", async () => {
  const inner = sluice();
  inner.get("/deep", (req, res) => res.send(`${req.baseUrl}|${req.url}`));
  const app = sluice();
  app.mount("/hono", hono());
  app.mount("/inner", inner.fetch);
  app.mount("/plain", (request: Request) => new Response(new URL(request.url).pathname + new URL(request.url).search));
  assertEquals(await ask(app, "/hono/users/1"), [200, "user 1 "]);
  assertEquals(await ask(app, "/inner/deep"), [200, "|/deep"]);
  assertEquals(await ask(app, "/plain/a%2Fb?c=d"), [200, "/a%2Fb?c=d"]);
});

Deno.test("a path that a mounted handler would resolve is 400, and bypasses no guard", async () => {
  const app = sluice().set("env", "test");
  app.use("/old/users", (_req, res) => res.sendStatus(401));
  app.mount("/old", hono());
  app.mount("/", (request: Request) => new Response(new URL(request.url).pathname));
  const statusOf = async (path: string) => {
    // a Request would resolve the dots, so the target is set as a server sets it
    const request = new Request("http://localhost/");
    Object.defineProperty(request, "url", { value: `http://localhost${path}` });
    return (await app.fetch(request)).status;
  };
  assertEquals(await statusOf("/old/users/7"), 401);
  for (const dots of ["x/..", "x/%2e%2E", "x/.%2e", ".", "%2e", "x\\..", "x/..\\"]) {
    assertEquals([dots, await statusOf(`/old/${dots}/users/7`)], [dots, 400]);
  }
  assertEquals([await statusOf("/old\\users/7"), await statusOf("/a/.."), await statusOf("/a/.")], [400, 400, 400]);
  // names with leading dots, and dots in a query, are harmless
  assertEquals([await statusOf("/.well-known/a..b/...?x=/../\\")], [200]);
});

Deno.test("a method in lower case does not bypass guards of that method to a mounted handler", async () => {
  const app = quietApp();
  app.post("/old/admin", (_req, res) => res.sendStatus(401));
  app.mount("/old", (request: Request) => new Response(request.method));
  await serving(app, async (origin) => {
    const statusOf = async (method: string) => {
      const head = ["Connection: close", "Content-Length: 0"];
      return (await untilClosed(await rawHead(origin, `${method} /old/admin`, head))).slice(9, 12);
    };
    // a new Request would turn it into a POST; Deno passes it on as sent
    assertEquals([await statusOf("POST"), await statusOf("post"), await statusOf("Post")], ["401", "400", "400"]);
    assertEquals([await statusOf("PUT"), await statusOf("custom")], ["200", "200"]);
  });
});

Deno.test("a Host that makes no valid URL is a client error, not a server error", async () => {
  const app = sluice().set("env", "test");
  app.mount("/old", hono());
  // as Deno and Bun deliver "Host: ["
  const request = new Request("http://localhost/");
  Object.defineProperty(request, "url", { value: "http://[/old/users/7" });
  assertEquals((await app.fetch(request)).status, 400);
});

Deno.test("middleware in front runs, and its headers stay on the answer", async () => {
  const app = sluice();
  app.use((_req, res, next) => {
    res.set("X-From", "middleware");
    next();
  });
  const router = Router();
  router.mount("/inner", () => new Response("ok", { headers: { "x-own": "1" } }));
  app.use("/outer", router);
  const response = await app.fetch(new Request("http://localhost/outer/inner/x"));
  assertEquals([response.headers.get("x-from"), response.headers.get("x-own"), await response.text()], [
    "middleware",
    "1",
    "ok",
  ]);
});

Deno.test("a mounted handler gets what the platform passed, and errors go to the error handlers", async () => {
  const app = sluice();
  app.mount("/info", (_request: Request, info?: { port: number }) => new Response(String(info?.port)));
  app.mount("/fails", () => Promise.reject(new Error("mine")));
  // deno-lint-ignore no-explicit-any -- the four parameters make it an error handler
  app.use((error: any, _req: any, res: any, _next: any) => res.status(500).send(error.message));
  const response = await app.fetch(new Request("http://localhost/info"), { port: 7 });
  assertEquals(await response.text(), "7");
  assertEquals(await ask(app, "/fails"), [500, "mine"]);
});

Deno.test("a mounted handler or a route may answer with another class than the runtime's Response", async () => {
  class Foreign {
    readonly status = 201;
    readonly headers = new Headers([["x-own", "yes"], ["set-cookie", "b=2"], ["set-cookie", "c=3"]]);
    readonly body = new Response("foreign").body;
    arrayBuffer = () => new Response(this.body).arrayBuffer();
  }
  const app = sluice();
  app.use((_req, res, next) => {
    res.cookie("a", "1");
    next();
  });
  app.mount("/foreign", () => Promise.resolve(new Foreign() as unknown as Response));
  app.get("/returned", () => new Foreign());
  app.get("/returned/late", () => Promise.resolve(new Foreign()));
  // HTTP clients' results are not responses
  app.get("/result", (_req, res) => {
    setTimeout(() => res.send("own answer"), 0);
    return { status: 204, headers: new Headers(), data: "result" };
  });
  assertEquals(await ask(app, "/result"), [200, "own answer"]);
  for (const path of ["/foreign", "/returned", "/returned/late"]) {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    assertEquals([response.status, await response.text(), response.headers.get("x-own")], [201, "foreign", "yes"]);
    assertEquals(response.headers.getSetCookie(), ["a=1; Path=/", "b=2", "c=3"]);
  }
});

Deno.test("a response that makes its headers with its body keeps its own type, whatever was set before", async () => {
  const app = sluice();
  app.use("/set", (_req, res, next) => next(void res.set("x-before", "set")));
  app.use("/heard", (_req, res, next) => next(void res.on("finish", () => {})));
  for (const path of ["/plain", "/set", "/heard"]) {
    app.mount(path, () => new FastResponse("text") as unknown as Response);
    const response = await app.fetch(new Request(`http://localhost${path}`));
    assertEquals(
      [await response.text(), response.headers.get("content-type")],
      ["text", "text/plain;charset=UTF-8"],
      path,
    );
  }
});

Deno.test("a mounted handler that returns no response is an error, and the client is not left waiting", async () => {
  const app = sluice().set("env", "test");
  app.mount("/nothing", (() => {}) as never);
  app.mount("/later", (() => Promise.resolve({ status: 200 })) as never);
  app.use((error: Error, _req: unknown, res: sluice.Response, _next: unknown) =>
    void res.status(500).send(error.message)
  );
  const text = "app.mount: the handler must return a Response, not";
  assertEquals(await ask(app, "/nothing"), [500, `${text} undefined`]);
  assertEquals(await ask(app, "/later"), [500, `${text} an object`]);
});

Deno.test("a body that a parser has read already is an error that says what to do", async () => {
  const app = sluice();
  app.use(sluice.text());
  app.mount("/old", hono().fetch);
  // deno-lint-ignore no-explicit-any -- the four parameters make it an error handler
  app.use((error: any, _req: any, res: any, _next: any) => res.status(500).send(error.message));
  const [status, text] = await ask(app, "/old/echo", {
    method: "POST",
    body: "hello",
    headers: { "content-type": "text/plain" },
  });
  assertEquals(status, 500);
  assertStringIncludes(text, "before the body parsers");
});

Deno.test("a value that is no handler is refused at the call", () => {
  for (const wrong of [undefined, null, "x", {}, 7]) {
    // deno-lint-ignore no-explicit-any -- wrong on purpose
    assertThrows(() => sluice().mount("/x", wrong as any), TypeError, "app.mount expects a function");
  }
  for (const router of [sluice.Router(), express(), express.Router()]) {
    assertThrows(
      () => sluice().mount("/x", router as never),
      TypeError,
      "not a router or an Express application; mount",
    );
  }
});

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Router } from "@sluice/sluice";
import { durableSockets } from "@sluice/sluice/workers";
import { HANDSHAKE, RawSocket } from "../contracts/raw_socket.ts";
import { ask, quietApp, serving } from "../support/app.ts";

Deno.test("a ping timeout that is no valid timer delay is refused when the route is registered", () => {
  const app = quietApp();
  for (const pingTimeoutMs of [-1, NaN, Infinity, 2 ** 31]) {
    assertThrows(
      () => app.ws("/", { pingTimeoutMs, open() {} }),
      RangeError,
      `app.ws: "pingTimeoutMs" must be from 0, which means never, to 2147483647, not ${pingTimeoutMs}`,
    );
  }
  assertThrows(
    () => app.ws("/", { pingTimeoutMs: "10s" as unknown as number, open() {} }),
    TypeError,
    'app.ws: "pingTimeoutMs" must be a number of ms, not',
  );
  for (const pingTimeoutMs of [0, 0.5, 2 ** 31 - 1]) app.ws("/", { pingTimeoutMs, open() {} });
});

Deno.test("sub-protocols that are neither a list of names nor a function are refused", () => {
  for (const protocols of ["v1", [1], {}]) {
    assertThrows(
      () => quietApp().ws("/", { protocols: protocols as unknown as string[], open() {} }),
      TypeError,
      'app.ws: "protocols" must be a list of names or a function, not',
    );
  }
});

Deno.test("a sub-protocol given as a promise is an error, and not taken for none", async () => {
  const app = quietApp().ws("/", { open() {}, protocols: (() => Promise.resolve("v2")) as never });
  const response = await ask(app, "/", { headers: { ...HANDSHAKE, "Sec-WebSocket-Protocol": "v2" } });
  assertEquals(response.status, 500);
  assertStringIncludes(
    await response.text(),
    "app.ws: &quot;protocols&quot; must return a name synchronously, not an object",
  );
});

Deno.test("a limit that is no whole number of bytes is refused when the route is registered", () => {
  for (const name of ["maxMessageBytes", "maxBufferedBytes"]) {
    for (const bytes of [0, -1, 1.5, NaN]) {
      assertThrows(
        () => quietApp().ws("/", { open() {}, [name]: bytes }),
        RangeError,
        `app.ws: "${name}" must be a whole number of bytes, or Infinity for no limit, not ${bytes}`,
      );
    }
    assertThrows(
      () => quietApp().ws("/", { open() {}, [name]: "1mb" }),
      TypeError,
      `app.ws: "${name}" must be a number of bytes, not "1mb"`,
    );
    for (const bytes of [1, 2 ** 40, Infinity, undefined]) quietApp().ws("/", { open() {}, [name]: bytes });
  }
});

Deno.test("origins that no browser sends are refused when the route is registered, and the error says what to write", () => {
  const refused: readonly (readonly [origins: unknown, message: string])[] = [
    ["*", '"origins" must be a list of origins, a function or "any", not "*"'],
    ["https://a.example", '"origins" must be a list of origins, a function or "any", not "https://a.example"'],
    [["*"], '"origins" has "*", which is not the origin of a page; allow "any", or decide in a function'],
    [["https://*.a.example"], 'allow "any", or decide in a function (origin) => boolean'],
    [["null"], '"origins" has "null", which is not the origin of a page; any page can have that one'],
    [["a.example"], 'write it as browsers send it, such as "https://example.com"'],
    [["https://"], 'write it as browsers send it, such as "https://example.com"'],
    [["https://a.example/"], 'browsers send "https://a.example"'],
    [["https://A.example:443/chat"], 'browsers send "https://a.example"'],
    [["https://bücher.example"], 'browsers send "https://xn--bcher-kva.example"'],
    [[7], '"origins" has 7, which is not'],
  ];
  for (const [origins, message] of refused) {
    assertThrows(() => quietApp().ws("/", { open() {}, origins: origins as never }), TypeError, message);
  }
  const accepted = [
    [],
    "any",
    () => true,
    ["https://a.example", "http://[::1]:8000", "moz-extension://0-1"],
    undefined,
  ];
  for (const origins of accepted) quietApp().ws("/", { open() {}, origins: origins as never });
});

Deno.test("unknown options of durableSockets are refused", () => {
  assertThrows(
    () => durableSockets(() => quietApp(), { autoresponse: { request: "ping", response: "pong" } } as never),
    TypeError,
    "durableSockets: there is no option autoresponse; did you mean autoResponse?",
  );
});

Deno.test("options of durableSockets that no object could use are refused at the call, and so is no application", () => {
  const refused: readonly (readonly [options: unknown, message: string])[] = [
    [{ headers: "cookie" }, 'option headers must be a list of header names, not "cookie"'],
    [
      { autoResponse: "ping" },
      'option autoResponse must be an object { request, response } of two strings, not "ping"',
    ],
    [{ base: {} }, "option base must be a class, not an object"],
  ];
  for (const [options, message] of refused) {
    assertThrows(() => durableSockets(() => quietApp(), options as never), TypeError, `durableSockets: ${message}`);
  }
  const Later = durableSockets((() => Promise.resolve(quietApp())) as never);
  const message = "must return an application, not a promise; start slow work in the function";
  assertThrows(() => new Later({} as never, {}), TypeError, message);
});

Deno.test("an unknown handler or option is refused, but an instance of a class may have other members", () => {
  const names =
    "there are open, message, close, drain, error, protocols, pingTimeoutMs, maxMessageBytes, maxBufferedBytes, origins";
  for (const [name, advice] of [["onmessage", "did you mean message?"], ["nonsense", names]]) {
    assertThrows(
      () => quietApp().ws("/", { open() {}, [name!]: () => {} }),
      TypeError,
      `app.ws: there is no option ${name}; ${advice}`,
    );
  }
  class Room {
    members = new Set();
    open(ws: unknown) {
      this.members.add(ws);
    }
  }
  quietApp().ws("/", new Room()).ws("/", { open() {}, message: undefined as never });
});

Deno.test("neither an upgrade nor a method WS bypasses a guard registered with all()", async () => {
  const app = quietApp();
  const router = Router();
  router.ws("/live", { message() {} });
  router.use("/data", (_req, res) => res.send("guarded"));
  app.all("/rooms/:room{/*rest}", (_req, res) => res.sendStatus(401));
  app.use("/rooms/:room", router);
  const upgrade = { upgrade: "websocket", connection: "upgrade" };
  for (
    const [path, init] of [
      ["/rooms/1/data", {}],
      ["/rooms/1/data", { headers: upgrade }],
      ["/rooms/1/live", { headers: upgrade }],
      ["/rooms/1/data", { method: "WS" }],
    ] as const
  ) {
    assertEquals((await app.fetch(new Request(`http://localhost${path}`, init))).status, 401);
  }
});

Deno.test("an upgrade bypasses a guard registered with get() only where there is a socket", async () => {
  const app = quietApp();
  const router = Router();
  router.ws("/live/:topic", { message() {} });
  router.use("/data", (_req, res) => res.send("guarded"));
  app.get("/rooms/:room{/*rest}", (_req, res) => res.sendStatus(401));
  app.use("/rooms/:room", Router().use("/:floor", router));
  app.use("/rooms/:room", quietApp().use("/", quietApp().use(router)));
  const statusOf = async (path: string) => {
    const headers = { upgrade: "websocket", connection: "upgrade" };
    return (await app.fetch(new Request(`http://localhost${path}`, { headers }))).status;
  };
  for (const path of ["/rooms/1/data", "/rooms/1/2/data", "/rooms/1/live", "/rooms/1/2/live/", "/rooms/%zz/live"]) {
    assertEquals([path, await statusOf(path)], [path, path.includes("%zz") ? 400 : 401]);
  }
  // the route refuses a handshake without a version
  for (const path of ["/rooms/1/live/a", "/rooms/1/2/live/a", "/rooms/1/2/live/a/"]) {
    assertEquals([path, await statusOf(path)], [path, 426]);
  }
});

Deno.test("an upgrade whose URL a middleware rewrites finds the socket of the new path, or a page if there is none", async () => {
  const app = quietApp();
  const router = Router();
  app.use((req, _res, next) => {
    req.url = req.url.replace(/^\/(?:en|de)(?=\/)/, "");
    next();
  });
  router.use((req, _res, next) => {
    req.url = req.url.replace(/^\/v1/, "");
    next();
  });
  app.use("/api", router);
  app.get(["/live", "/api/live"], (_req, res) => res.send("a page"));
  app.ws("/live", { open: (ws) => ws.send(`live ${ws.data.req.originalUrl}`) });
  app.ws("/api/live", { open: (ws) => ws.send(`api ${ws.data.req.originalUrl}`) });
  app.ws("/de/pages/:page", { open: (ws) => ws.send("never") });
  app.get("/pages/:page", (req, res) => res.send(`page ${req.params.page}`));
  await serving(app, async (origin) => {
    for (
      const [path, said] of [["/live", "live"], ["/de/live?a=1", "live"], ["/api/live", "api"], ["/api/v1/live", "api"]]
    ) {
      using socket = await RawSocket.open(origin, path!);
      assertEquals([path, socket.status], [path, 101]);
      assertEquals(await socket.text(), `${said} ${path}`);
    }
    using page = await RawSocket.open(origin, "/de/pages/7");
    assertEquals([page.status, await page.body()], [200, "page 7"]);
  });
});

Deno.test("a router or an application called by a middleware has its sockets", async () => {
  const app = quietApp();
  const router = Router();
  router.ws("/live", { open: (ws) => ws.send("of the router") });
  router.get("/live", (_req, res) => res.send("a page"));
  const sub = quietApp();
  sub.ws("/live", { open: (ws) => ws.send("of the application") });
  app.use("/router", (req, res, next) => router(req, res, next));
  app.use("/application", (req, res, next) => sub.handle(req, res, next));
  app.use((_req, res) => res.sendStatus(404));
  await serving(app, async (origin) => {
    assertEquals(await (await fetch(`${origin}/router/live`)).text(), "a page");
    for (const kind of ["router", "application"]) {
      using socket = await RawSocket.open(origin, `/${kind}/live`);
      assertEquals([kind, socket.status], [kind, 101]);
      assertEquals(await socket.text(), `of the ${kind}`);
    }
  });
});

Deno.test("a function in the way of express-ws is refused, and the error says what to write instead", () => {
  const app = quietApp();
  const router = new Router();
  const expressWs = ((ws: unknown, req: unknown) => [ws, req]) as never;
  for (
    const [caller, register] of [
      ["app.ws", () => app.ws("/chat/:room", expressWs)],
      ["app.ws", () => app.ws("/chat/:room", (_req, _res, next) => next(), expressWs)],
      ["ws", () => router.ws("/chat/:room", expressWs)],
    ] as const
  ) {
    const { message } = assertThrows(register, TypeError);
    assertStringIncludes(
      message,
      `${caller} expects an object with the connection's handlers, not a function (ws, req)`,
    );
    assertStringIncludes(message, "remove expressWs(app), and write { open(ws) {}, message(ws, data) {}");
    assertStringIncludes(message, "the request is ws.data.req");
  }
});

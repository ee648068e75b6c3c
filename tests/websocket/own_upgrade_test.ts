import { assertEquals } from "@std/assert";
import { RawSocket } from "../contracts/raw_socket.ts";
import { quietApp, serving } from "../support/app.ts";

Deno.test("a handler may return an upgrade of its own, and headers set before are added to it", async () => {
  const app = quietApp();
  app.use((_req, res, next) => (res.cookie("a", "1").cookie("b", "2").set("x-custom", "yes"), next()));
  app.get("/", (req) => {
    const { socket, response } = Deno.upgradeWebSocket(req.request);
    socket.onopen = () => socket.send("open");
    return response;
  });
  await serving(app, async (origin) => {
    using socket = await RawSocket.open(origin, "/");
    assertEquals([socket.status, socket.header("x-custom")], [101, ["yes"]]);
    assertEquals(socket.header("set-cookie"), ["a=1; Path=/", "b=2; Path=/"]);
    assertEquals(await socket.text(), "open");
  });
});

Deno.test("a handler's own upgrade works even with a listener for the end of the response", async () => {
  const app = quietApp();
  app.use((req, res, next) => {
    res.on("close", () => {});
    req.signal.addEventListener("abort", () => {});
    next();
  });
  const upgrade = (request: Request): Response => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => socket.send("open");
    return response;
  };
  app.get("/at-once", (req) => upgrade(req.request));
  app.get("/later", async (req) => {
    await Promise.resolve();
    return upgrade(req.request);
  });
  await serving(app, async (origin) => {
    for (const path of ["/at-once", "/later"]) {
      using socket = await RawSocket.open(origin, path);
      assertEquals([socket.status, await socket.text()], [101, "open"]);
    }
  });
});

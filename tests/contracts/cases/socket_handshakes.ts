import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Chapter, chapter, seen, text } from "../case.ts";
import { OPCODE } from "../frame.ts";
import { HANDSHAKE, RawSocket } from "../raw_socket.ts";
import { SocketClient } from "../socket_client.ts";

/** Status and body of a refused handshake. */
async function refused(origin: string, path: string, headers = {}, method?: string): Promise<[number, string]> {
  using socket = await RawSocket.open(origin, path, headers, method);
  return [socket.status, await socket.body()];
}

/** The server's first message, and the subprotocols it selected. */
async function spoken(origin: string, path: string, offered: string): Promise<[string, string[]]> {
  using socket = await RawSocket.open(origin, path, { "Sec-WebSocket-Protocol": offered });
  return [await socket.text(), socket.header("sec-websocket-protocol")];
}

export const handshakes: Chapter = chapter("WebSockets: the handshake", (it) => {
  it("a connection knows its route, parameters, query and request", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/rooms/a%20b?key=1&x=%C3%BC", { "X-Client": "by hand" });
    assertEquals(JSON.parse(await socket.text()), {
      routePath: "/socket/rooms/:room",
      params: { room: "a b" },
      url: "/socket/rooms/a%20b?key=1&x=%C3%BC",
      path: "/socket/rooms/a%20b",
      query: { key: "1", x: "ü" },
      locals: "1",
      x: "by hand",
    });
  }, "websocket");

  it(
    "a connection knows its peer",
    async ({ origin }) => {
      using socket = await RawSocket.open(origin, "/socket/peer");
      await socket.send(OPCODE.text, "who am I?");
      assertEquals(await socket.text(), "127.0.0.1");
    },
    "websocket",
    "peer",
  );

  it("middleware may wait before the upgrade, and refuse it with a status, headers and a body", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/rooms/a");
    assertEquals(socket.status, 401);
    assertEquals(socket.header("www-authenticate"), ['Bearer realm="rooms"']);
    assertEquals(JSON.parse(await socket.body()), { error: "key, please" });
  }, "websocket");

  it("middleware may redirect instead of upgrading", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/moved");
    assertEquals([socket.status, socket.header("location")], [302, ["/socket/echo"]]);
  }, "websocket");

  it("an error before the upgrade is answered like any other", async ({ origin }) => {
    const [status, body] = await refused(origin, "/socket/broken");
    assertEquals(status, 403);
    assertMatch(body, /not for you/);
  }, "websocket");

  it("an upgrade without a route is 404", async ({ origin }) => {
    assertEquals((await refused(origin, "/socket/none"))[0], 404);
  }, "websocket");

  it("a page and a socket can share a path", async ({ ask, origin }) => {
    assertEquals(await text(ask, "/socket/shared"), "a page");
    using socket = await RawSocket.open(origin, "/socket/shared");
    assertEquals(await socket.text(), "a socket");
  }, "websocket");

  it("next('route') goes past a socket route", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/past");
    assertEquals(await socket.text(), "the next route");
  }, "websocket");

  it("mounted routers and applications have socket routes", async ({ origin, flag }) => {
    using below = await RawSocket.open(origin, "/socket/tenants/acme/feed/7");
    assertEquals(JSON.parse(await below.text()), [{ tenant: "acme", id: "7" }, "/socket/tenants/acme"]);
    using inside = await RawSocket.open(origin, `/socket/app/inside?flag=${flag}`);
    assertEquals(await inside.text(), "inside");
  }, "websocket");

  it("headers and cookies set before the upgrade are sent with it", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/headers");
    assertEquals(socket.header("x-before"), ["yes"]);
    assertEquals(socket.header("set-cookie"), ["a=1; Path=/", "b=2; Path=/"]);
    assertEquals(await socket.text(), "open");
  }, "websocket");

  it("the headers of the handshake itself cannot be overridden", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/headers");
    assertEquals(socket.header("connection").map((value) => value.toLowerCase()), ["upgrade"]);
    assertEquals(socket.header("sec-websocket-accept"), ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]);
    assertEquals(socket.header("content-length"), []);
  }, "websocket");

  it("the sub-protocol is the first one offered", async ({ origin }) => {
    assertEquals(await spoken(origin, "/socket/protocols/any", "v1, v2"), ["speaks v1", ["v1"]]);
  }, "websocket");

  it("with a list of sub-protocols, the order of the list decides", async ({ origin }) => {
    assertEquals(await spoken(origin, "/socket/protocols/list", "v1, v2, v3"), ["speaks v3", ["v3"]]);
  }, "websocket");

  it("a function chooses the sub-protocol", async ({ origin }) => {
    assertEquals(await spoken(origin, "/socket/protocols/picked", "v1, v2"), ["speaks v2", ["v2"]]);
  }, "websocket");

  it("without a sub-protocol in common, none is chosen", async ({ origin }) => {
    assertEquals(await spoken(origin, "/socket/protocols/list", "v8, v9"), ["speaks ", []]);
  }, "websocket");

  it("sub-protocols may be offered without spaces between them", async ({ origin }) => {
    assertEquals(await spoken(origin, "/socket/protocols/list", "v1,v2"), ["speaks v2", ["v2"]]);
  }, "websocket");

  it("a browser's WebSocket accepts the sub-protocol", async ({ origin }) => {
    await using client = new SocketClient(origin, "/socket/protocols/list", { protocols: ["v1", "v2"] });
    assertEquals([await client.next(), client.socket.protocol], ["speaks v2", "v2"]);
  }, "websocket");

  it("Connection may have more tokens than upgrade, and Upgrade may be in any case", async ({ origin }) => {
    const headers = { "Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket" };
    using socket = await RawSocket.open(origin, "/socket/shared", headers);
    assertEquals([socket.status, await socket.text()], [101, "a socket"]);
  }, "websocket");

  it("a handshake without a key, or with one that is too short, is 400", async ({ origin }) => {
    assertMatch((await refused(origin, "/socket/shared", { "Sec-WebSocket-Key": "" })).join(), /^400,.*key/is);
    assertMatch((await refused(origin, "/socket/shared", { "Sec-WebSocket-Key": "c2hvcnQ=" })).join(), /^400,.*key/is);
  }, "websocket");

  it("a handshake without Connection: Upgrade is 400", async ({ origin }) => {
    const headers = { "Connection": "keep-alive" };
    assertMatch((await refused(origin, "/socket/rooms/a?key=1", headers)).join(), /^400,.*connection/is);
  }, "websocket");

  it("another version of the protocol is 426, which names the right one", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/shared", { "Sec-WebSocket-Version": "8" });
    assertEquals([socket.status, socket.header("sec-websocket-version")], [426, ["13"]]);
  }, "websocket");

  it("only a GET is a handshake", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/shared", { "Content-Length": "0" }, "POST");
    // a POST route could handle it; Deno refuses it before it reaches the application
    assert([400, 404].includes(socket.status), socket.head);
  }, "websocket");

  it("an ordinary request for a socket route is a 404", async ({ ask }) => {
    assertEquals((await seen(ask, "/socket/echo"))[0], 404);
  });

  it("an upgrade is 101, or 501 and the reason where there are no WebSockets", async ({ ask, origin, lacks }) => {
    if (lacks("websocket") === undefined) {
      using socket = await RawSocket.open(origin, "/socket/shared");
      return assertEquals(socket.status, 101);
    }
    const [status, body] = await seen(ask, "/socket/shared", { headers: HANDSHAKE });
    assertEquals(status, 501);
    assertMatch(String(body), /has no WebSockets on|upgrades only requests/);
  });
});

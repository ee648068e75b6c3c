import { assertEquals, assertMatch } from "@std/assert";
import { type Chapter, chapter } from "../case.ts";
import { RawSocket } from "../raw_socket.ts";

const COOKIE = { "Cookie": "session=1" };
const ELSEWHERE = { "Origin": "https://elsewhere.example" };

export const origins: Chapter = chapter("WebSockets: pages of other hosts", (it) => {
  /** A handshake's response status. */
  const statusOf = async (origin: string, path: string, headers: Record<string, string>): Promise<number> => {
    using socket = await RawSocket.open(origin, `/socket/origins/${path}`, headers);
    return socket.status;
  };

  it("a page of another host is refused with 403 if the browser adds cookies", async ({ origin }) => {
    using socket = await RawSocket.open(origin, "/socket/origins/default", { ...COOKIE, ...ELSEWHERE });
    assertEquals(socket.status, 403);
    assertMatch(await socket.body(), /Pages of https:\/\/elsewhere\.example may not open this WebSocket/);
  }, "websocket");

  it("so is one for which the browser adds HTTP authentication", async ({ origin }) => {
    assertEquals(await statusOf(origin, "default", { "Authorization": "Basic YTpi", ...ELSEWHERE }), 403);
  }, "websocket");

  it("so is one without an origin of its own, such as a sandboxed frame", async ({ origin }) => {
    assertEquals(await statusOf(origin, "default", { ...COOKIE, "Origin": "null" }), 403);
  }, "websocket");

  it("so is one on another port, below the own host, or whose name begins like it", async ({ origin }) => {
    for (const other of ["shop.example:8080", "a.shop.example", "shop.example.net", "shop.example@evil.example"]) {
      const headers = { ...COOKIE, "Host": "shop.example", "Origin": `https://${other}` };
      assertEquals([other, await statusOf(origin, "default", headers)], [other, 403]);
    }
  }, "websocket");

  it("a page of another host is welcome without cookies", async ({ origin }) => {
    assertEquals(await statusOf(origin, "default", ELSEWHERE), 101);
  }, "websocket");

  it(
    "a page of the own host may have cookies, whatever its scheme and however the port is written",
    async ({ origin }) => {
      const { host } = new URL(origin);
      for (
        const [host, page] of [
          [new URL(origin).host, origin],
          [new URL(origin).host, origin.replace("http:", "https:")],
          ["shop.example", "https://shop.example"],
          ["Shop.Example:443", "https://shop.example"],
          ["shop.example:80", "http://shop.example"],
          ["[::1]:8000", "http://[::1]:8000"],
        ] as const
      ) {
        assertEquals([page, await statusOf(origin, "default", { ...COOKIE, "Host": host, "Origin": page })], [
          page,
          101,
        ]);
      }
      assertEquals(await statusOf(origin, "none", { ...COOKIE, "Origin": `http://${host}` }), 101);
    },
    "websocket",
  );

  it("a non-browser client may have cookies", async ({ origin }) => {
    for (const path of ["default", "none", "list"]) assertEquals(await statusOf(origin, path, COOKIE), 101);
  }, "websocket");

  it(
    "behind a trusted proxy, the own host is the one the proxy names",
    async ({ origin }) => {
      const headers = { ...COOKIE, "X-Forwarded-Host": "shop.example", "Origin": "https://shop.example" };
      assertEquals(await statusOf(origin, "behind-proxy", headers), 101);
      assertEquals(await statusOf(origin, "behind-proxy", { ...headers, ...ELSEWHERE }), 403);
      // without trust, any client could have set that header
      assertEquals(await statusOf(origin, "default", headers), 403);
    },
    "websocket",
    "forwarded",
  );

  it("a list of origins opens a route to these pages, and to no others, even without cookies", async ({ origin }) => {
    for (const friend of ["https://friend.example", "chrome-extension://abc"]) {
      assertEquals(await statusOf(origin, "list", { ...COOKIE, "Origin": friend }), 101);
    }
    assertEquals(await statusOf(origin, "list", { ...COOKIE, "Origin": origin }), 101);
    assertEquals(await statusOf(origin, "list", ELSEWHERE), 403);
    assertEquals(await statusOf(origin, "none", ELSEWHERE), 403);
  }, "websocket");

  it("a function decides about every page", async ({ origin }) => {
    const path = "function?origin=https://elsewhere.example";
    assertEquals(await statusOf(origin, path, { ...COOKIE, ...ELSEWHERE }), 101);
    assertEquals(await statusOf(origin, path, { "Origin": origin }), 403);
    assertEquals(await statusOf(origin, path, COOKIE), 101);
  }, "websocket");

  it("a function that returns a promise is an error and admits no client", async ({ origin }) => {
    assertEquals(await statusOf(origin, "promise", ELSEWHERE), 500);
  }, "websocket");

  it("with any, every page may have cookies", async ({ origin }) => {
    assertEquals(await statusOf(origin, "any", { ...COOKIE, ...ELSEWHERE }), 101);
  }, "websocket");
});

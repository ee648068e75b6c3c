/** The proxy with `fetch`. */
import { assertEquals, assertRejects } from "@std/assert";
import { type Chapter, chapter, json } from "../../../contracts/case.ts";
import type { Behind } from "../behind.ts";

/** The request that the server behind the proxy received. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The cases; `behind` is the server behind the proxy. */
export function proxy(behind: Behind): Chapter {
  return chapter("proxy", (it) => {
    it("method, path, query, body and headers arrive, and the response comes back", async ({ ask }) => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const response = await ask("/proxy/api/seen/7?a=1&b=%20", {
          method,
          headers: { "content-type": "text/plain", "x-kept": "1" },
          body: "grüße",
        });
        const seen: Seen = await response.json();
        assertEquals([response.status, seen.method, seen.url, seen.body], [201, method, "/seen/7?a=1&b=%20", "grüße"]);
        assertEquals([seen.headers["x-kept"], seen.headers["content-type"]], ["1", "text/plain"]);
        assertEquals(response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]), ["a=1", "b=2"]);
        assertEquals([response.headers.get("x-own"), response.headers.get("x-hop")], ["1", null]);
      }
      assertEquals((await ask("/proxy/api/nothing")).status, 204);
      const head = await ask("/proxy/api/seen/7", { method: "HEAD" });
      assertEquals([head.status, await head.text()], [201, ""]);
    });

    it("headers of the connection stay with it, and nobody can invent the others", async ({ origin, ask }) => {
      const { host } = new URL(origin);
      const headers = {
        "proxy-authorization": "Basic YTpi",
        "te": "trailers",
        "forwarded": "for=192.0.2.1;host=evil.test;proto=https",
        "x-forwarded-for": "192.0.2.1",
        "x-forwarded-host": "evil.test",
        "x-forwarded-proto": "https",
        "x-forwarded-port": "1",
        "x-real-ip": "192.0.2.1",
      };
      const { headers: seen } = await json(ask, "/proxy/api/seen/", { headers }) as Seen;
      const own = ["x-forwarded-host", "x-forwarded-proto", "host"].map((name) => seen[name]);
      assertEquals(own, [host, "http", new URL(behind.origin).host]);
      assertEquals(seen["x-forwarded-for"]?.includes("192.0.2.1"), false, seen["x-forwarded-for"]!);
      for (const name of ["proxy-authorization", "te", "forwarded", "x-real-ip", "x-forwarded-port"]) {
        assertEquals(seen[name], undefined, name);
      }
    });

    it("what Connection names is not passed on", async ({ origin }) => {
      const { hostname, port, host } = new URL(origin);
      using connection = await Deno.connect({ hostname, port: Number(port) });
      const lines = ["GET /proxy/api/seen/ HTTP/1.1", `Host: ${host}`, "Connection: close, X-Dropped", "X-Dropped: 1"];
      await connection.write(new TextEncoder().encode([...lines, "X-Kept: 1", "", ""].join("\r\n")));
      const text = await new Response(connection.readable).text();
      assertEquals([text.includes('"x-kept":"1"'), text.includes("x-dropped")], [true, false], text);
    });

    it("a path cannot choose the server", async ({ ask }) => {
      for (const path of ["//127.0.0.1:1/x", "/@evil.test/", "//evil.test/", "/http://evil.test/", "/:1/"]) {
        const { url, headers } = await json(ask, `/proxy/api${path}`) as Seen;
        // Bun sends one slash instead of two
        const shown = url.replace(/^\/+/, "/");
        assertEquals([shown, headers["host"]], [path.replace(/^\/+/, "/"), new URL(behind.origin).host]);
      }
    });

    it("a redirect is passed on, without the address of the server behind", async ({ ask }) => {
      for (const [path, location] of [["moved", "/proxy/api/elsewhere?a=1"], ["relative", "/elsewhere"]] as const) {
        const moved = await ask(`/proxy/api/${path}`);
        await moved.body?.cancel();
        assertEquals([moved.status, moved.headers.get("location")], [302, location]);
      }
    });

    it("both bodies are streamed, each piece as it comes", async ({ ask }) => {
      const { readable, writable } = new TransformStream<string, string>();
      const writer = writable.getWriter();
      void writer.write("one");
      const body = readable.pipeThrough(new TextEncoderStream());
      const response = await ask("/proxy/api/echo", { method: "POST", body, duplex: "half" } as RequestInit);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      assertEquals((await reader.read()).value, "one");
      void writer.write("two");
      assertEquals((await reader.read()).value, "two");
      await writer.close();
      assertEquals((await reader.read()).done, true);
    });

    it("a client that leaves ends the request behind the proxy, before the response and within it", async (visit) => {
      const { ask, depart, flag } = visit;
      await depart(`/proxy/api/arrived-and-waits/${flag}-1`, () => behind.wait(`arrived ${flag}-1`));
      await behind.wait(`left ${flag}-1`);
      const begun = await ask(`/proxy/api/begun/${flag}-2`);
      await begun.body!.cancel();
      await behind.wait(`left ${flag}-2`);
    });

    it("a response that breaks off behind breaks off in front", async ({ ask }) => {
      const response = await ask("/proxy/api/fails");
      assertEquals(response.status, 200);
      await assertRejects(() => response.text());
    });

    it("a server that cannot be reached is 502", async ({ ask }) => {
      const response = await ask("/proxy/down/api/");
      assertEquals([response.status, (await response.text()).includes("127.0.0.1:1")], [502, false]);
    });
  });
}

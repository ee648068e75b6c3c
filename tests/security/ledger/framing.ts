import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Theme } from "./flaw.ts";
import { headOf, received, refusesSmuggled, serves, statusOf } from "./server.ts";

const POST = ["POST /text HTTP/1.1", "Host: localhost"] as const;
const CHUNKED = "Transfer-Encoding: chunked";
const EMPTY_CHUNKS = "0\r\n\r\n";

/** Boundaries between requests. */
export const framing: Theme = {
  title: "Framing",
  file: "framing.ts",
  flaws: [
    {
      identifiers: ["CVE-2024-27982"],
      package: "Node's http",
      flaw: "A space before Content-Length hid the header, so the body was read as another request.",
      here: "a header line with a leading space, or a space before its colon, gets 400",
      async attackServer(server) {
        const length = (hidden: string) => `Content-Length: ${hidden.length}`;
        await refusesSmuggled(server, (hidden) => headOf(...POST, ` ${length(hidden)}`) + hidden);
        await refusesSmuggled(server, (hidden) => headOf(POST[0], ` ${length(hidden)}`, POST[1]) + hidden);
        await refusesSmuggled(server, (hidden) => headOf(...POST, length(hidden).replace(":", " :")) + hidden);
      },
    },
    {
      identifiers: ["CVE-2025-23167"],
      package: "Node's http (llhttp)",
      flaw: "A request head could end with CR LF CR and another character instead of an empty line.",
      here: "a request head ends only with an empty line; any other ending gets 400",
      async attackServer(server) {
        await refusesSmuggled(server, (hidden) => `GET /host HTTP/1.1\r\nHost: localhost\r\n\rX${hidden}`);
      },
    },
    {
      identifiers: ["CVE-2022-32213"],
      package: "Node's http (llhttp)",
      flaw: "Transfer-Encoding with a value other than chunked was parsed leniently, and a proxy could disagree.",
      here: "a Transfer-Encoding that does not end with chunked gets 400",
      async attackServer(server) {
        for (const coding of ["xchunked", "chunked, identity", "chunked\r\nTransfer-Encoding: identity"]) {
          const head = headOf(...POST, `Transfer-Encoding: ${coding}`);
          await refusesSmuggled(server, (hidden) => head + EMPTY_CHUNKS + hidden);
        }
      },
    },
    {
      identifiers: ["CVE-2022-32215"],
      package: "Node's http (llhttp)",
      flaw: "Proxies interpreted a Transfer-Encoding folded over several lines differently.",
      here: "a folded header line gets 400",
      async attackServer(server) {
        for (const coding of ["chunked\r\n , identity", "\r\n chunked"]) {
          const head = headOf(...POST, `Transfer-Encoding: ${coding}`);
          await refusesSmuggled(server, (hidden) => head + EMPTY_CHUNKS + hidden);
        }
      },
    },
    {
      identifiers: ["CVE-2023-30589"],
      package: "Node's http (llhttp)",
      flaw: "CR without LF ended a header line, so a header could hide inside the value of another.",
      here: "a bare CR in a request head gets 400",
      async attackServer(server) {
        await refusesSmuggled(
          server,
          (hidden) =>
            headOf("GET /host HTTP/1.1", "Host: localhost", `Dummy: x\rContent-Length: ${hidden.length}`) + hidden,
        );
      },
    },
    {
      identifiers: ["CVE-2022-32214", "CVE-2022-35256"],
      package: "Node's http (llhttp)",
      flaw: "Header lines did not have to end with CR LF.",
      here:
        "a line that ends with a bare LF gets 400; Deno accepts LF as a line end, as RFC 9112 section 2.2 permits, " +
        "and uses the header after it",
      async attackServer(server) {
        const head = (hidden: string) =>
          headOf("POST /text HTTP/1.1", "Host: localhost", `Dummy: x\nContent-Length: ${hidden.length}`);
        if (server.runtime !== "Deno") return await refusesSmuggled(server, (hidden) => head(hidden) + hidden);
        const hidden = "GET /smuggled/lf HTTP/1.1\r\nHost: localhost\r\n\r\n";
        const text = await received(server, head(hidden) + hidden + headOf(...LAST));
        assertEquals(text.match(/HTTP\/1\.1 \d{3} /g)?.length, 2);
        assertMatch(text, /GET \/smuggled\/lf HTTP\/1\.1/);
      },
    },
    {
      identifiers: ["CVE-2026-23527", "GHSA-mp2g-9vg9-f4cg"],
      package: "h3",
      flaw: "Only lower-case chunked was recognized, so a chunked body stayed in the connection.",
      here: "chunked is recognized in any case, and the next request on the connection is read correctly",
      async attackServer(server) {
        for (const coding of ["ChuNked", "CHUNKED"]) {
          const first = headOf(...POST, `Transfer-Encoding: ${coding}`) + "3\r\nabc\r\n0\r\n\r\n";
          const text = await received(server, first + headOf(...LAST));
          assertMatch(text, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nabcHTTP\/1\.1 200 [\s\S]*"path":"\/host"/);
        }
      },
    },
    {
      identifiers: ["CVE-2024-22019"],
      package: "Node's http",
      flaw: "Chunk extensions had no limit, and their bytes counted towards no other limit.",
      here: "300 kB of chunk extensions are refused, and the connection closes",
      async attackServer(server) {
        const text = await received(server, `${headOf(...POST, CHUNKED)}3;${"a".repeat(300_000)}\r\nabc\r\n0\r\n\r\n`);
        // if data is unread when the server closes, the connection may be reset before the response arrives
        assert(text === "" || (statusOf(text) >= 400 && statusOf(text) < 500), text);
        await serves(server);
      },
    },
    {
      identifiers: ["CVE-2026-58044"],
      package: "Node's http",
      flaw: "Headers beyond maxHeadersCount, including Content-Length, were dropped, but the body was still delivered.",
      here: "the body is never read as another request, however many headers precede its length",
      async attackServer(server) {
        const hidden = "GET /smuggled/many HTTP/1.1\r\nHost: localhost\r\n\r\n";
        const head = headOf(...POST, ...Array(2100).fill("a:"), `Content-Length: ${hidden.length}`);
        const text = await received(server, head + hidden + headOf(...LAST));
        assert(!text.includes('"path":"/smuggled/many"'), text);
        // Deno and Bun reject that many headers; Node's connection continues with the last request
        if (statusOf(text) < 400) assertMatch(text, /HTTP\/1\.1 200 [\s\S]*"path":"\/host"/);
      },
    },
    {
      identifiers: ["CVE-2026-21710"],
      package: "Node's http",
      flaw: "A header named `__proto__` made `req.headersDistinct` throw outside of any error handler.",
      here: "headers named `__proto__` and `constructor` are ordinary headers",
      async attackServer(server) {
        const head = headOf("GET /headers HTTP/1.1", "Host: x", "__proto__: y", "constructor: z", "Connection: close");
        const text = await received(server, head);
        assertEquals(statusOf(text), 200, text);
        const { named, distinct } = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
        assertEquals(named, "z");
        assertEquals(new Map(distinct).get("__proto__"), ["y"]);
      },
    },
    {
      identifiers: ["CVE-2024-32652", "GHSA-hgxw-5xg3-69jx"],
      package: "@hono/node-server",
      flaw: "A Host header that is invalid in a URL, such as an empty one, left the request without a response.",
      here: "an invalid Host header gets 400, and an empty one gives no host name",
      async attackServer(server) {
        const asked = (host: string) =>
          received(server, headOf("GET /host HTTP/1.1", `Host: ${host}`, "Connection: close"));
        for (const host of ["/", "a b", "[::1", "a:b"]) assertEquals([host, statusOf(await asked(host))], [host, 400]);
        const empty = await asked("");
        assertEquals(statusOf(empty), 200);
        assert(!empty.includes("hostname"), empty);
      },
    },
    {
      identifiers: ["CVE-2026-33131"],
      package: "h3",
      flaw: "The URL for middleware was built from the Host header, which could move the path into the query.",
      here: "a Host header never changes the path that guards compare",
      async attackServer(server) {
        for (const host of ["localhost:3000/abchehe?", "localhost/x#", "localhost\\x"]) {
          const text = await received(server, headOf("GET /admin/page HTTP/1.1", `Host: ${host}`, "Connection: close"));
          assertEquals([host, [400, 403].includes(statusOf(text)), text.includes("secret")], [host, true, false]);
        }
      },
    },
    {
      identifiers: ["CVE-2026-27959", "GHSA-7gcc-r8m5-44qm"],
      package: "koa",
      flaw: "With Host: evil.com:fake@legit.com, ctx.hostname was evil.com.",
      here: "a Host header with user information gets 400",
      async attackServer(server) {
        for (const host of ["evil.com:fake@legit.com", "evil.com@legit.com"]) {
          const text = await received(server, headOf("GET /host HTTP/1.1", `Host: ${host}`, "Connection: close"));
          assertEquals([host, statusOf(text)], [host, 400]);
        }
      },
    },
    {
      identifiers: ["CVE-2026-44456", "GHSA-9vqf-7f2p-gf9v"],
      package: "hono",
      flaw: "The handler ran, and its response was sent, before the limit of a chunked body was checked.",
      here: "a chunked body beyond the limit gets 413, in parsers and in req.text(), and the handler does not see it",
      async attackServer(server) {
        const chunk = `3e8\r\n${"a".repeat(1000)}\r\n`;
        for (const path of ["/text", "/parsed"]) {
          const type = "Content-Type: text/plain";
          const head = headOf(`POST ${path} HTTP/1.1`, "Host: x", type, CHUNKED, "Connection: close");
          const text = await received(server, head + chunk + chunk + EMPTY_CHUNKS);
          assertEquals([path, statusOf(text), text.includes("aaaa")], [path, 413, false]);
        }
      },
    },
  ],
};

/** A request after which the server closes the connection. */
const LAST = ["GET /host HTTP/1.1", "Host: localhost", "Connection: close"] as const;

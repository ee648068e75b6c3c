import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { assertEquals, assertMatch } from "@std/assert";
import { PATIENCE_MS } from "../support/patience.ts";
import { onNode, rawRequest, text, type Way, ways } from "../support/node_servers.ts";

onNode("the application sees Node's requests, and its path below a mount of Express", async (at) => {
  const where = async (way: Way) => JSON.parse(await text(`${at(way)}/where?q=1`));
  const alone = { ip: "127.0.0.1", url: "/where?q=1", baseUrl: "", originalUrl: "/where?q=1", protocol: "http" };
  const mounted = { ...alone, baseUrl: "/api", originalUrl: "/api/where?q=1" };
  assertEquals(await Promise.all(ways.map(where)), [alone, alone, mounted, mounted]);
});

onNode("a URL rewritten by Express in front of the mount is the one the application sees", async (at) => {
  const seen = JSON.parse(await text(`${new URL(at("plain")).origin}/old/x`));
  assertEquals([seen.url, seen.baseUrl, seen.originalUrl], ["/where", "/old", "/old/x"]);
});

onNode("the answer of another server is passed on as fetch has decompressed it", async (at) => {
  for (const way of ways) assertEquals(await text(`${at(way)}/fetched`), "compressed ".repeat(100), way);
}, 1);

onNode("the target arrives as it was sent, dots and all", async (at) => {
  for (const way of ["listen", "plain"] as const) {
    const connection = await rawRequest(at(way), "/missing/../where", "connection: close\r\ncontent-length: 0\r\n");
    const response = await new Response(connection.readable).text();
    assertMatch(response, /404 Not Found/);
    assertMatch(response, /(Cannot POST |Express: \/api)\/missing\/\.\.\/where/);
  }
});

onNode("a target that is an absolute URL is routed by its path, as it was sent", async (at) => {
  for (const target of ["http://x/missing/../where", "http://y:80/missing/where"]) {
    const { hostname, port } = new URL(at("listen"));
    const connection = await Deno.connect({ hostname, port: Number(port) });
    const head = "host: x\r\nconnection: close\r\n";
    await connection.write(new TextEncoder().encode(`GET ${target} HTTP/1.1\r\n${head}\r\n`));
    const response = await new Response(connection.readable).text();
    assertMatch(response, /404 Not Found/);
    assertMatch(response, /Cannot GET .*\/missing/);
  }
});

onNode("a JSON body is parsed, by Sluice or by Express's parser in front", async (at) => {
  for (const way of ways) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":[1,2]}' };
    assertEquals(await text(`${at(way)}/echo`, init), '{"body":{"a":[1,2]}}');
    assertEquals(await text(`${at(way)}/echo`, { method: "POST" }), '{"body":null}');
    const broken = await fetch(`${at(way)}/echo`, { ...init, body: "{" });
    assertEquals([broken.status, (await broken.text()).length > 0], [
      way === "plain" || way === "parsed" ? 500 : 400,
      true,
    ]);
  }
});

onNode("a JSON body is parsed in every content coding that Express inflates", async (at) => {
  for (
    const [coding, compress] of [["gzip", gzipSync], ["deflate", deflateSync], ["br", brotliCompressSync]] as const
  ) {
    const headers = { "content-type": "application/json", "content-encoding": coding };
    const sent = (json: string) => ({ method: "POST", headers, body: new Uint8Array(compress(json)) });
    for (const way of ways) {
      assertEquals(await text(`${at(way)}/echo`, sent('{"a":[1,2]}')), '{"body":{"a":[1,2]}}', `${coding}, ${way}`);
    }
  }
});

onNode("an empty body that Express's parser in front has read is not read again", async (at) => {
  const { hostname, port } = new URL(at("parsed"));
  for (const framing of ["content-length: 0\r\n\r\n", "transfer-encoding: chunked\r\n\r\n0\r\n\r\n"]) {
    const ask = async (path: string): Promise<string> => {
      const connection = await Deno.connect({ hostname, port: Number(port) });
      const head = "host: x\r\nconnection: close\r\ncontent-type: application/json\r\n";
      await connection.write(new TextEncoder().encode(`POST /api${path} HTTP/1.1\r\n${head}${framing}`));
      return await new Response(connection.readable).text();
    };
    assertMatch(await ask("/echo"), /^HTTP\/1.1 200 [^]*\{"body":\{\}\}/);
    if (framing.includes("length")) assertMatch(await ask("/fetches"), /^HTTP\/1.1 200 [^]*\{"url":"\/"\}/);
  }
});

onNode("a JSON body with a byte order mark or invalid UTF-8 is parsed", async (at) => {
  const bytes = (...parts: (string | number)[]) =>
    new Uint8Array(parts.flatMap((part) => typeof part === "number" ? part : [...new TextEncoder().encode(part)]));
  for (const body of [bytes(0xef, 0xbb, 0xbf, '{"a":1}'), bytes('{"a":"', 0xe9, '"}')]) {
    const seen = await Promise.all(ways.map(async (way) => {
      const response = await fetch(`${at(way)}/echo`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      return JSON.parse(await response.text()).body.a;
    }));
    assertEquals(seen, ways.map(() => body[0] === 0xef ? 1 : "\ufffd"));
  }
});

onNode("an answer known in full has its length, and an empty one has no body", async (at) => {
  for (const way of ways) {
    const whole = await fetch(`${at(way)}/where`);
    assertEquals(whole.headers.get("content-length"), String((await whole.text()).length));
    const head = await fetch(`${at(way)}/where`, { method: "HEAD" });
    assertEquals(head.headers.get("content-length"), whole.headers.get("content-length"));
    assertEquals(await head.text(), "");
    const missing = await fetch(`${at(way)}/missing`);
    assertEquals(missing.headers.get("content-length"), String((await missing.text()).length));
    const created = await fetch(`${at(way)}/empty`);
    assertEquals([created.status, await created.text(), created.headers.get("content-length")], [201, "", "0"]);
    for (const status of [204, 304]) {
      const empty = await fetch(`${at(way)}/status/${status}`);
      assertEquals([empty.status, await empty.text(), empty.headers.get("content-length")], [status, "", null]);
    }
  }
});

onNode("code that wraps the application can inspect its answers, and change them", async (at) => {
  const response = await fetch(`${at("around")}/where`);
  assertEquals((await response.json()).url, "/where");
  const { headers } = response;
  assertEquals([headers.get("x-wrapped"), headers.get("content-type")], [
    "true 200 true",
    "application/json; charset=utf-8",
  ]);
  assertEquals(headers.get("content-length"), (await fetch(`${at()}/where`)).headers.get("content-length"));
  const missing = await fetch(`${at("around")}/missing`);
  assertEquals([missing.status, missing.headers.get("x-wrapped")], [404, "true 404 false"]);
  assertMatch(await missing.text(), /Cannot GET \/missing/);
  const cookies = await fetch(`${at("around")}/cookies`);
  assertEquals([await cookies.text(), cookies.headers.getSetCookie()], ["TWO", ["a=1; Path=/", "b=2; Path=/"]]);
  assertEquals(await text(`${at("around")}/web`), "a web response");
  assertEquals((await text(`${at("around")}/file`)).length, (await text(`${at()}/file`)).length);
});

onNode("a Latin-1 header arrives as it was set, beside a UTF-8 body", async (at) => {
  for (const way of ways) {
    const response = await fetch(`${at(way)}/latin`);
    assertEquals([response.headers.get("x-place"), await response.text()], ["Köln", "Köln → Paris"]);
  }
});

onNode("a Latin-1 file name behind a length that was set arrives with GET and HEAD", async (at) => {
  for (const way of ways) {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, body } = await fetch(`${at(way)}/latin/file`, { method });
      assertEquals([status, headers.get("content-disposition")], [200, 'attachment; filename="Köln.txt"']);
      await body?.cancel();
    }
  }
});

onNode("a value that no header can carry is an error in the handler", async (at) => {
  for (const way of ways) {
    for (const path of ["/odd/reason", "/odd/tag"]) {
      const response = await fetch(at(way) + path);
      assertEquals([response.status, await response.json()], [500, { name: "TypeError" }]);
    }
  }
});

onNode("two cookies are two header lines, and those of Express are kept", async (at) => {
  for (const way of ways) {
    const response = await fetch(`${at(way)}/cookies`);
    const ours = ["a=1; Path=/", "b=2; Path=/"];
    const theirs = way === "plain" || way === "parsed" ? ["outer=1"] : [];
    assertEquals([response.headers.getSetCookie(), await response.text()], [[...theirs, ...ours], "two"]);
  }
});

onNode("headers can be set by the setHeader of Node's own responses, as npm's cookies does", async (at) => {
  const response = await fetch(`${at("listen")}/cookies/by-node`);
  assertEquals([response.headers.getSetCookie(), await response.text()], [["a=1", "b=2"], "set"]);
});

onNode("headers and properties set by Express in front of the mount are available", async (at) => {
  const response = await fetch(`${at("plain")}/node`);
  assertEquals(await response.json(), { user: "somebody", shown: "somebody", attached: ["user"], inherited: "set" });
  assertEquals(response.headers.get("x-outer"), "set");
  const web = await fetch(`${at("plain")}/web`);
  assertEquals([web.headers.get("x-web"), web.headers.get("x-outer"), await web.text()], [
    "yes",
    "set",
    "a web response",
  ]);
});

onNode("properties that every request of Node's has are not copied to the application's requests", async (at) => {
  assertEquals(JSON.parse(await text(`${at("own")}/node`)).attached, []);
});

onNode(
  "request headers that Express changes or removes in front of the mount are changed or removed in it",
  async (at) => {
    const init = { headers: { "x-inner": "from outside", "x-list": "1" } };
    for (const way of ways) {
      const { listed, got } = await (await fetch(`${at(way)}/headers`, init)).json();
      assertEquals(listed.slice(0, 2), way === "plain" || way === "parsed" ? ["told", null] : [null, "from outside"]);
      assertEquals(got, listed);
    }
  },
);

// Deno's node:http joins them
onNode(
  "of a repeated header that must be unique the first one is used, and all can be read, as in Express",
  async (at) => {
    for (const way of ways) {
      const twice = "Authorization: one\r\nAuthorization: two\r\nX-List: 1\r\nX-List: 2\r\n";
      const connection = await rawRequest(at(way), "/headers", `${twice}Connection: close\r\nContent-Length: 0\r\n`);
      const response = await new Response(connection.readable).text();
      const { listed, got, raw, distinct } = JSON.parse(response.slice(response.indexOf("\r\n\r\n")));
      assertEquals(listed.slice(2), ["one", "1, 2"]);
      assertEquals(got, listed);
      const sent = `host: x\r\n${twice}Connection: close\r\nContent-Length: 0`;
      assertEquals(raw, sent.split("\r\n").flatMap((line) => line.split(": ")));
      assertEquals(distinct, ["1", "2"]);
    }
  },
  1,
);

// Deno's node:http reports 1.1 for every request
onNode("the HTTP version is that of the client, since a proxy in front may use 1.0", async (at) => {
  const { hostname, port } = new URL(at());
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode("GET /headers HTTP/1.0\r\nhost: x\r\n\r\n"));
  assertMatch(await new Response(connection.readable).text(), /"version":"1\.0"/);
}, 1);

onNode("a request that no layer answers continues with Express's next handler, headers included", async (at) => {
  for (const way of ["plain", "parsed"] as const) {
    const response = await fetch(`${at(way)}/passes`);
    assertEquals([response.status, await response.text()], [404, "Express: /api/passes"]);
    assertEquals([response.headers.get("x-inner"), response.headers.get("x-outer")], ["kept", null]);
    assertEquals(response.headers.getSetCookie(), ["outer=1", "inner=1"]);
    assertEquals(await text(`${at(way)}/passes/error`), "Express: left over");
  }
  assertMatch(await text(`${at("own")}/missing`), /Cannot GET \/missing/);
  assertMatch(await text(`${new URL(at("plain")).origin}/bare/missing`), /Cannot GET \/bare\/missing/);
});

onNode(
  "an Express application behind it gets requests for routes not migrated yet, with their body, read or unread",
  async (at) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
    assertEquals(await text(`${at("front")}/old/echo`, init), '{"old":{"a":1}}');
    assertEquals(await text(`${at("front")}/old/echo?parsed`, init), '{"old":{"a":1}}');
    assertEquals(await text(`${at("front")}/echo`, init), '{"body":{"a":1}}');
  },
);

onNode(
  "a body that middleware only checked for, as body-parser does, is available to Express behind it",
  async (at) => {
    const body = JSON.stringify({ a: "b".repeat(50_000) });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const response = await fetch(`${at("front")}/old/looked`, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    assertEquals(await response.text(), `{"old":${body}}`);
  },
);

onNode("a thrown error is answered with the error page, or by Express's error handler", async (at) => {
  for (const way of ["listen", "own"] as const) {
    const response = await fetch(`${at(way)}/fails`);
    assertEquals(response.status, 500);
    assertMatch(await response.text(), /thrown on purpose/);
  }
  assertEquals(await text(`${at("plain")}/fails`), "Express: thrown on purpose");
});

onNode("a Fetch handler may construct requests from the one it gets", async (at) => {
  assertEquals(await text(`${at()}/fetches/a/b`), '{"url":"/a/b"}');
  assertEquals(await text(`${at("plain")}/fetches/a/b`), '{"url":"/a/b"}');
});

onNode("files are served in full and in ranges", async (at) => {
  const file = await Deno.readTextFile(new URL("../deno.lock", import.meta.url));
  assertEquals(await text(`${at()}/file`), file);
  const part = await fetch(`${at()}/file`, { headers: { range: "bytes=5-14" } });
  assertEquals([part.status, await part.text()], [206, file.slice(5, 15)]);
});

onNode("a mounted handler may forward its request to another server", async (at) => {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
  assertEquals(await text(`${at()}/legacy/old/echo`, init), '{"old":{"a":1}}');
  assertEquals(JSON.parse(await text(`${at("plain")}/legacy/where?q=1`)).url, "/where?q=1");
});

import { assertEquals } from "@std/assert";
import { type Chapter, chapter, json, seen, text } from "../case.ts";

type Bytes = Uint8Array<ArrayBuffer>;

async function packed(coding: "gzip" | "deflate", text: string): Promise<Bytes> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(coding))).bytes();
}

const coded = (coding: string, body: Bytes): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", "content-encoding": coding },
  body,
});

const joined = (parts: readonly Bytes[]): Bytes => Uint8Array.from(parts.flatMap((part) => [...part]));

export const requests: Chapter = chapter("Requests", (it) => {
  it("method, URL, path and query are as Express shows them", async ({ ask }) => {
    const { method, url, path, originalUrl, query } = await json(ask, "/request?a=1&b=x%20y&b=z") as Seen;
    assertEquals({ method, url, path, originalUrl, query }, {
      method: "GET",
      url: "/request?a=1&b=x%20y&b=z",
      path: "/request",
      originalUrl: "/request?a=1&b=x%20y&b=z",
      query: { a: "1", b: ["x y", "z"] },
    });
  });

  it("the protocol and host name come from the connection", async ({ ask, origin }) => {
    const { protocol, secure, hostname } = await json(ask, "/request") as Seen;
    assertEquals({ protocol, secure, hostname }, {
      protocol: "http",
      secure: false,
      hostname: new URL(origin).hostname,
    });
  });

  it("forwarded headers are not trusted by default", async ({ ask, origin }) => {
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" };
    const { protocol, hostname } = await json(ask, "/request", { headers }) as Seen;
    assertEquals([protocol, hostname], ["http", new URL(origin).hostname]);
  });

  it("req.ip is the address of the peer", async ({ ask }) => {
    const headers = { "x-forwarded-for": "203.0.113.9" };
    assertEquals((await json(ask, "/request", { headers }) as Seen)["ip"], "127.0.0.1");
  }, "peer");

  it(
    "behind a trusted proxy, protocol and host name come from its headers",
    async ({ ask }) => {
      const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "shop.example:8443" };
      const { protocol, hostname, secure } = await json(ask, "/behind-proxy", { headers }) as Seen;
      assertEquals([protocol, hostname, secure], ["https", "shop.example", true]);
    },
    "forwarded",
  );

  it(
    "behind a trusted proxy, req.ip is the address the proxy names",
    async ({ ask }) => {
      const headers = { "x-forwarded-for": "198.51.100.1, 203.0.113.9" };
      assertEquals((await json(ask, "/behind-proxy", { headers }) as Seen)["ip"], "203.0.113.9");
    },
    "forwarded",
  );

  it("headers are read in any case", async ({ ask }) => {
    assertEquals(await json(ask, "/header/X-Custom", { headers: { "x-cUstom": "value" } }), "value");
    assertEquals(await json(ask, "/header/x-custom"), null);
  });

  it("Set-Cookie is a list, because its values cannot be joined", async ({ ask }) => {
    assertEquals(await json(ask, "/header/Set-Cookie", { headers: { "set-cookie": "a=1; Path=/" } }), ["a=1; Path=/"]);
    assertEquals(await json(ask, "/header/set-cookie"), null);
  });

  it("req.xhr knows XMLHttpRequest", async ({ ask }) => {
    const headers = { "x-requested-with": "XMLHttpRequest" };
    assertEquals((await json(ask, "/request", { headers }) as Seen)["xhr"], true);
  });

  it("req.accepts picks what the client prefers", async ({ ask }) => {
    assertEquals(await text(ask, "/accepts", { headers: { accept: "text/html;q=0.9, application/json" } }), "json");
    assertEquals(await text(ask, "/accepts", { headers: { accept: "text/html" } }), "html");
    assertEquals(await text(ask, "/accepts", { headers: { accept: "image/png" } }), "false");
  });

  it("req.range reads a Range header", async ({ ask }) => {
    assertEquals(await json(ask, "/range", { headers: { range: "bytes=10-19,90-" } }), [
      { start: 10, end: 19 },
      { start: 90, end: 99 },
    ]);
  });

  it("cookies are read", async ({ ask }) => {
    const headers = { cookie: "a=1; b=x%20y" };
    assertEquals(await json(ask, "/cookies", { headers }), { a: "1", b: "x y" });
  });
});

export const bodies: Chapter = chapter("Bodies", (it) => {
  const post = (type: string, body: BodyInit) => ({ method: "POST", headers: { "content-type": type }, body });

  it("JSON is parsed", async ({ ask }) => {
    const init = post("application/json", '{"a":[1,"ü"]}');
    assertEquals(await json(ask, "/body/json", init), { body: { a: [1, "ü"] } });
  });

  it("broken JSON is 400", async ({ ask }) => {
    assertEquals((await seen(ask, "/body/json", post("application/json", '{"a":')))[0], 400);
  });

  it("a byte order mark is left out, and invalid UTF-8 becomes one replacement character", async ({ ask }) => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode('{"a":"'), 0xe9, 0x22, 0x7d]);
    assertEquals(await json(ask, "/body/json", post("application/json", bytes)), { body: { a: "\ufffd" } });
  });

  it("a body that one parser has read is not parsed by the next", async ({ ask }) => {
    assertEquals(await json(ask, "/body/twice", post("application/json", '{"a":1}')), { body: { a: 1 } });
  });

  const large = JSON.stringify("x".repeat(200));

  it("a body above the limit is 413", async ({ ask }) => {
    assertEquals((await seen(ask, "/body/json", post("application/json", large)))[0], 413);
  });

  it("a body above the limit is 413, also without a Content-Length", async ({ ask }) => {
    const stream = new Blob([large.repeat(1000)]).stream();
    assertEquals((await seen(ask, "/body/json", post("application/json", stream)))[0], 413);
  }, "refusal");

  it("a body of another type is not parsed", async ({ ask }) => {
    assertEquals(await json(ask, "/body/json", post("text/plain", "{}")), { body: null });
  });

  it("an unknown charset is 415", async ({ ask }) => {
    assertEquals((await seen(ask, "/body/json", post("application/json; charset=x-none", "{}")))[0], 415);
  });

  it("forms are parsed, nested fields too", async ({ ask }) => {
    const init = post("application/x-www-form-urlencoded", "a=1&b=x+y&c[d]=2&e[]=3&e[]=4");
    assertEquals(await json(ask, "/body/form", init), { body: { a: "1", b: "x y", c: { d: "2" }, e: ["3", "4"] } });
  });

  it("text is read", async ({ ask }) => {
    assertEquals(await json(ask, "/body/text", post("text/plain", "grüße")), { body: "grüße" });
  });

  it("text in windows-1252, under whatever label, has the characters of the bytes 80 to 9F", async ({ ask }) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const latin = String.fromCharCode(...bytes);
    const high = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
    const body = latin.slice(0, 0x80) + high + latin.slice(0xa0);
    for (const label of ["windows-1252", "iso-8859-1", "latin1", "ascii", "us-ascii", "cp1252"]) {
      assertEquals(await json(ask, "/body/text", post(`text/plain; charset=${label}`, bytes)), { body }, label);
    }
  });

  it("bytes are read", async ({ ask }) => {
    const init = post("application/octet-stream", new Uint8Array([0, 128, 255]));
    assertEquals(await json(ask, "/body/raw", init), { bytes: [0, 128, 255] });
  });

  it("a compressed body is decompressed", async ({ ask }) => {
    assertEquals(await json(ask, "/body/json", coded("gzip", await packed("gzip", '{"packed":1}'))), {
      body: { packed: 1 },
    });
    assertEquals(await json(ask, "/body/json", coded("deflate", await packed("deflate", '{"packed":1}'))), {
      body: { packed: 1 },
    });
  }, "unpacking");

  it("a compressed body that is cut off or broken is 400", async ({ ask }) => {
    for (const coding of ["gzip", "deflate"] as const) {
      const whole = await packed(coding, '{"packed":1}');
      for (const body of [whole.subarray(0, -2), whole.with(-5, whole.at(-5)! ^ 1), new TextEncoder().encode("text")]) {
        assertEquals((await seen(ask, "/body/json", coded(coding, body)))[0], 400, coding);
      }
    }
  }, "unpacking");

  it("the members of a gzip body are joined, and padding behind a compressed body is left out", async ({ ask }) => {
    const members = await Promise.all(['{"pa', "", 'cked":1}', ""].map((text) => packed("gzip", text)));
    const padding = new Uint8Array(3);
    for (const body of [joined(members), joined([...members, padding])]) {
      assertEquals(await json(ask, "/body/json", coded("gzip", body)), { body: { packed: 1 } });
    }
    const behind = coded("gzip", joined([...members, new TextEncoder().encode("text")]));
    assertEquals((await seen(ask, "/body/json", behind))[0], 400);
    const padded = coded("deflate", joined([await packed("deflate", '{"packed":1}'), padding]));
    assertEquals(await json(ask, "/body/json", padded), { body: { packed: 1 } });
  }, "unpacking");

  it("without a parser or a body, req.body is undefined", async ({ ask }) => {
    assertEquals(await json(ask, "/body/none", post("application/json", "{}")), { body: null });
    assertEquals(await json(ask, "/body/json", { method: "POST" }), { body: null });
  });

  it("behind a parser, the request has a body, even if there was none or it was refused", async ({ ask }) => {
    const large = JSON.stringify("x".repeat(200));
    // repeated, because parsers cache the usual content type
    for (let round = 0; round < 3; round++) {
      assertEquals(await answers(), [[200, true], [200, true], [200, true], [200, true], [400, true], [413, true]]);
    }
    function answers(): Promise<unknown[]> {
      const inits = [
        {},
        { method: "POST" },
        post("application/json", "[1]"),
        post("text/plain", "[1]"),
        post("application/json", "[1"),
        post("application/json", large),
      ];
      return Promise.all(inits.map(async (init) => {
        const response = await ask("/body/present", init);
        return [response.status, await response.json()];
      }));
    }
  });

  it("the web Request is available", async ({ ask }) => {
    assertEquals(await json(ask, "/body/web", post("application/json", '{"web":true}')), { web: true });
  });

  it("a handler that reads JSON or a form gets what it asked for, and the client 400 if it is malformed", async ({ ask }) => {
    const json = "application/json";
    const form = "application/x-www-form-urlencoded";
    assertEquals(await (await ask("/body/web-json", post(json, "[1]"))).json(), [1]);
    assertEquals(await (await ask("/body/web-form", post(form, "a=1&b=2"))).json(), ["a", "b"]);
    for (
      const [path, type, body] of [
        ["web-json", json, "{"],
        ["web-json", json, ""],
        ["web-form", json, "{}"],
        ["web-form", "multipart/form-data", "x"],
        ["web-form", "multipart/form-data; boundary=b", "no parts"],
      ] as const
    ) {
      assertEquals((await ask(`/body/${path}`, post(type, body))).status, 400, `${path} ${type} ${body}`);
    }
    assertEquals((await ask("/body/held", post(form, "a=1"))).status, 500);
  });
});

/** The program's report on a request. */
type Seen = Record<string, unknown>;

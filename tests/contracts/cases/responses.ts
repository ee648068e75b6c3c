import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { murmurTag } from "../../support/murmur_tag.ts";
import { type Chapter, chapter, json, seen, text } from "../case.ts";

export const answers: Chapter = chapter("Answers", (it) => {
  it("a string has Express's type, and an ETag of the bytes sent", async ({ ask }) => {
    const [status, body, type, tag] = await seen(ask, "/text", {}, "content-type", "etag");
    assertEquals([status, body, type], [200, "text with ümlaut", "text/html; charset=utf-8"]);
    assertMatch(String(tag), /^W\/"11-/);
    const [, long, longTag] = await seen(ask, "/text/long", {}, "etag");
    assertEquals(longTag, murmurTag(String(long)));
  });

  it("a repeated response stays the same", async ({ ask }) => {
    const headers = ["content-type", "content-length", "etag", "x-content-type-options"];
    for (const path of ["/text", "/json", "/status", "/absent"]) {
      const first = await seen(ask, path, {}, ...headers);
      for (let i = 0; i < 300; i++) assertEquals(await seen(ask, path, {}, ...headers), first);
    }
  });

  it("a response of known length has a Content-Length, also for HEAD", async ({ ask }) => {
    assertEquals((await seen(ask, "/text", {}, "content-length"))[2], "17");
    assertEquals((await seen(ask, "/text", { method: "HEAD" }, "content-length"))[2], "17");
  }, "length");

  it("a body without a type is sent without one, so that a browser sniffs it", async ({ ask }) => {
    assertEquals(await seen(ask, "/untyped/text", {}, "content-type"), [200, "<h1>ü</h1>", null]);
    const bytes = "a".repeat(100_000);
    assertEquals(await seen(ask, "/untyped/bytes", {}, "content-type"), [201, bytes, null]);
  });

  it("a Response of text has the type of text, whatever headers were set before", async ({ ask }) => {
    const [status, body, own, type] = await seen(ask, "/untyped/returned", {}, "x-own", "content-type");
    assertEquals([status, body, own], [200, "text", "own"]);
    assertMatch(String(type), /^text\/plain; ?charset=utf-8$/i);
  });

  it("a body without a type has its length all the same", async ({ ask }) => {
    assertEquals((await seen(ask, "/untyped/text", {}, "content-length"))[2], "11");
    assertEquals((await seen(ask, "/untyped/bytes", {}, "content-length"))[2], "100000");
  }, "length");

  it("a response without a body has the length 0", async ({ ask }) => {
    assertEquals(await seen(ask, "/empty/200", {}, "content-length"), [200, "", "0"]);
    assertEquals(await seen(ask, "/empty/401", {}, "content-length"), [401, "", "0"]);
  }, "length");

  it("JSON has Express's type and the status that was set", async ({ ask }) => {
    assertEquals(await seen(ask, "/json", {}, "content-type"), [
      201,
      '{"a":[1,"ü"],"b":null}',
      "application/json; charset=utf-8",
    ]);
  });

  it("bytes arrive as they are", async ({ ask }) => {
    const response = await ask("/bytes");
    assertEquals(response.headers.get("content-type"), "application/octet-stream");
    assertEquals([...await response.bytes()], [0, 1, 254, 255]);
  });

  it("sendStatus sends the reason phrase", async ({ ask }) => {
    assertEquals(await seen(ask, "/status"), [418, "I'm a Teapot"]);
  });

  it("204, 205 and 304 have no body", async ({ ask }) => {
    for (const status of [204, 205, 304]) assertEquals(await seen(ask, `/empty/${status}`), [status, ""]);
  });

  it("headers are set, appended and combined", async ({ ask }) => {
    const shown = await seen(ask, "/headers", {}, "x-one", "x-two", "vary", "content-type", "link");
    assertEquals(shown, [
      200,
      "# headers",
      "1",
      "a, b",
      "Accept",
      "text/markdown; charset=utf-8",
      '</2>; rel="next"',
    ]);
  });

  it("no header reveals the server", async ({ ask }) => {
    assertEquals((await seen(ask, "/", {}, "x-powered-by"))[2], null);
  });

  it("redirects have a status, an encoded target and a body of the accepted type", async ({ ask }) => {
    const accept = { headers: { accept: "text/plain" } };
    assertEquals(await seen(ask, "/redirect", accept, "location"), [302, "Found. Redirecting to /text", "/text"]);
    const [status, page, target] = await seen(
      ask,
      "/redirect/forever",
      { headers: { accept: "text/html" } },
      "location",
    );
    assertEquals([status, target], [301, "/text?q=%C3%BC"]);
    assertStringIncludes(String(page), "Moved Permanently");
  });

  it("an attachment has its file name, in any script", async ({ ask }) => {
    const shown = await seen(ask, "/attachment", {}, "content-disposition");
    assertEquals(shown.slice(0, 2), [200, "saved"]);
    assertStringIncludes(String(shown[2]), "filename*=UTF-8''na%C3%AFve.txt");
  });

  it("JSONP calls the function named in the query", async ({ ask }) => {
    assertStringIncludes(await text(ask, "/jsonp?callback=done"), 'done({"a":1})');
  });

  it("res.format responds in an accepted format, or with 406", async ({ ask }) => {
    const as = (accept: string) => seen(ask, "/format", { headers: { accept } }, "vary");
    assertEquals(await as("text/plain"), [200, "plain", "Accept"]);
    assertEquals(await as("application/json"), [200, '{"json":true}', "Accept"]);
    assertEquals((await as("image/png"))[0], 406);
  });

  it("a response may come after a promise or a timer", async ({ ask }) => {
    assertEquals([await text(ask, "/async"), await text(ask, "/timer")], ["after a promise", "after a timer"]);
  });

  it("a handler may return a web response, or a promise of one", async ({ ask }) => {
    assertEquals(await seen(ask, "/response", {}, "x-web"), [203, "a response", "yes"]);
    assertEquals(await json(ask, "/promised"), { promised: true });
  });

  it("a returned Response keeps headers that were set before, unless it has its own, and the cookies of both", async ({ ask }) => {
    const response = await ask("/response/added");
    assertEquals([response.status, await response.text()], [203, "a response"]);
    const values = ["x-before", "x-both", "content-type"].map((name) => response.headers.get(name));
    assertEquals(values, ["yes", "own", "text/x-own"]);
    assertEquals(response.headers.getSetCookie(), ["both=before; Path=/", "both=own", "other=1"]);
  });

  it("writeHead, write and end work as on Node", async ({ ask }) => {
    assertEquals(await seen(ask, "/node-style", {}, "content-type"), [202, "one two", "text/plain"]);
  });
});

export const cookies: Chapter = chapter("Cookies", (it) => {
  it("each cookie is a header line of its own", async ({ ask }) => {
    const response = await ask("/cookies/set");
    assertEquals([response.headers.getSetCookie().length, await response.text()], [4, "set"]);
  });

  it("values are encoded, and options follow them", async ({ ask }) => {
    const [plain, strict, object, gone] = (await ask("/cookies/set")).headers.getSetCookie();
    assertEquals(plain, "plain=a%20b; Path=/");
    assertMatch(strict!, /^strict=1; Max-Age=1; Path=\/; Expires=[^;]+ GMT; HttpOnly; Secure; SameSite=Strict$/);
    assertStringIncludes(object!, `object=${encodeURIComponent('j:{"a":1}')}`);
    assertMatch(gone!, /^gone=;.* Expires=Thu, 01 Jan 1970 00:00:00 GMT/);
  });
});

export const conditions: Chapter = chapter("Conditional requests", (it) => {
  it("a matching ETag gets a 304", async ({ ask }) => {
    const tag = (await ask("/text")).headers.get("etag")!;
    assertEquals(await seen(ask, "/text", { headers: { "if-none-match": tag } }, "etag"), [304, "", tag]);
    assertEquals((await seen(ask, "/text", { headers: { "if-none-match": '"other"' } }))[0], 200);
  });

  it("an unchanged date gets a 304", async ({ ask }) => {
    const since = (date: string) => seen(ask, "/dated", { headers: { "if-modified-since": date } });
    assertEquals(await since("Fri, 02 Jan 2026 03:04:05 GMT"), [304, ""]);
    assertEquals(await since("Thu, 01 Jan 2026 00:00:00 GMT"), [200, "dated"]);
  });

  it("Cache-Control: no-cache gets the whole response", async ({ ask }) => {
    const tag = (await ask("/text")).headers.get("etag")!;
    const headers = { "if-none-match": tag, "cache-control": "no-cache" };
    assertEquals((await seen(ask, "/text", { headers }))[0], 200);
  });

  it("a POST is never fresh", async ({ ask }) => {
    const tag = (await ask("/verbs", { method: "POST" })).headers.get("etag")!;
    assertEquals((await seen(ask, "/verbs", { method: "POST", headers: { "if-none-match": tag } }))[0], 200);
  });
});

export const errors: Chapter = chapter("Errors", (it) => {
  it("a thrown error gets Express's error page", async ({ ask }) => {
    const [status, page, type] = await seen(ask, "/fails/thrown", {}, "content-type");
    assertEquals([status, type], [500, "text/html; charset=utf-8"]);
    assertStringIncludes(String(page), "thrown on purpose");
  });

  it("a rejection is an error, and its status is used", async ({ ask }) => {
    assertEquals((await seen(ask, "/fails/rejected"))[0], 409);
  });

  it("an error passed to next() is handled the same way", async ({ ask }) => {
    assertEquals((await seen(ask, "/fails/passed"))[0], 418);
  });

  it("error handlers respond for the layers before them", async ({ ask }) => {
    assertEquals(await seen(ask, "/fails/caught"), [200, "handled: caught"]);
  });

  it("after an error the application responds as before", async ({ ask }) => {
    await seen(ask, "/fails/thrown");
    assertEquals(await seen(ask, "/"), [200, "home"]);
  });
});

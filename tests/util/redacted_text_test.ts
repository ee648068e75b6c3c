import { assert, assertEquals } from "@std/assert";
import { redactedTarget, redactedText } from "../../src/util/redacted_text.ts";

Deno.test("of a text the secrets are hidden, and nothing else", () => {
  const texts = {
    "connect to postgres://app:*@db:5432/shop?sslmode=require": "hunter-2",
    "https://*@github.com/a": "ghp_x1",
    "GET /a?page=2&access_token=*&b=1#c": "t1",
    "GET /a?next=* failed": "https%3A%2F%2Fb%2F%3Ftoken%3D1",
    "GET /a?next=* again": "https%253A%252F%252Fb%252F%253Ftoken%253D1",
    'got {"a":1,"password":"*","b":"password"}': 'hun\\"ter',
    'got {"total_tokens":1,"cvv":"*"}': null,
    "got { user: 'ann', secret: \"*\" }": null,
    "Server=db; Password=*; Timeout=5": "x",
    "theme=dark; sid=*": "s%3Aabc.def",
    "401 for Bearer * of ann": "abcDEF123",
    "expired: * (a JWT)": "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.abc",
    "\nX-Api-Key: *\nHost: a": "abc",
    "Unexpected token 'p', * is not valid JSON": '"password=h"...',
    "JSON Parse error: Unexpected identifier *": '"hunter2"',
  };
  for (const [pattern, secret] of Object.entries(texts)) {
    const expected = pattern.replace("*", "[redacted]");
    if (secret !== null) assertEquals(redactedText(pattern.replace("*", () => secret)), expected);
    // redacted text stays unchanged
    assertEquals(redactedText(expected), expected);
  }
  const plain = [
    "The request is not valid: body/password: Invalid string: must match pattern /^a=b$/",
    "basic authentication is needed: see https://a.example/docs#tokens",
    "GET /a?author=Ada&page=2 at 12:30:01 (file:///a/b.ts:12:34)",
    "user ann@example.com has 3 sessions: a, b, c",
  ];
  assertEquals(plain.map((text) => redactedText(text)), plain);
});

Deno.test("segments of a path are hidden by the names of their parameters", () => {
  const hidden = (target: string, pattern: string) => redactedTarget(target, {}, pattern);
  assertEquals(hidden("/reset/abc/2?a=1", "/reset/:token/:page"), "/reset/[redacted]/2?a=1");
  assertEquals(hidden("/a/b/abc", "/a{/:b}/:token"), "/a/b/abc");
  assertEquals(redactedTarget("/a/b/a%62c", { token: "abc", page: "b" }), "/a/b/[redacted]");
});

Deno.test("a text made to be slow is read in linear time", () => {
  for (
    const piece of [
      '"',
      "\\",
      "a=",
      "://",
      '\\"a\\":',
      "'a':",
      "[",
      "{",
      "eyJ.",
      "JSON Parse error: ",
      "?a=%25",
      "x: ",
      " ",
      "Bearer ",
    ]
  ) {
    const took = (length: number): number => {
      const text = `${piece.repeat(length / piece.length)}= is not valid JSON`;
      const start = performance.now();
      redactedText(text);
      return performance.now() - start;
    };
    took(4096);
    const ms = Math.min(took(16_384), took(16_384));
    assert(ms < 100, `${JSON.stringify(piece)} takes ${ms} ms`);
  }
});

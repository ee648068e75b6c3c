import { assertEquals } from "@std/assert";
import etag from "etag";
import { Buffer } from "node:buffer";
import { type TagMaker, weakEntityTag } from "../../src/http/entity_tag.ts";
import { RecentTags } from "../../src/http/recent_tags.ts";
import { ask, quietApp } from "../support/app.ts";

/** Counts how many of the texts have to be hashed, sent one after another; the tag of a text is the text. */
function hashed(recent: RecentTags, texts: string[]): number {
  return texts.filter((text) => {
    const known = recent.get(text);
    if (known === undefined) recent.offer(text, text);
    else assertEquals(known, text);
    return known === undefined;
  }).length;
}

function inTurns(times: number, ...texts: string[]): string[] {
  return Array.from({ length: times }, () => texts).flat();
}

Deno.test("a response has its own tag, however often it came and whatever came between", async () => {
  const app = quietApp();
  let text = "";
  app.get("/", (_req, res) => res.send(text));
  // as alike as texts can be: equal length and ends; and lengths on both sides of every limit
  const texts = [
    ...Array.from({ length: 40 }, (_, i) => `${String(i).padStart(3, "0")}${"a".repeat(600)}`),
    ...Array.from({ length: 40 }, (_, i) => `${"a".repeat(600)}${String(i).padStart(3, "0")}${"b".repeat(9)}`),
    ...[511, 512, 513, 128 * 1024, 128 * 1024 + 1].flatMap((length) => ["x", "ü", "日"].map((c) => c.repeat(length))),
    "a\ud800b".repeat(300),
    "",
  ];
  const inRows = texts.flatMap((one) => [one, one, one]);
  for (const one of [...texts, ...inRows, ...texts, ...texts]) {
    text = one;
    const response = await ask(app, "/");
    assertEquals(response.headers.get("etag"), etag(Buffer.from(one), { weak: true }));
    await response.body?.cancel();
  }
});

Deno.test("a text that is too long to be kept is hashed each time", () => {
  let made = 0;
  const runtime: TagMaker = { entityTag: () => `"${++made}"` };
  const tags = Array.from({ length: 3 }, () => weakEntityTag("l".repeat(128 * 1024 + 1), runtime));
  assertEquals(tags, ['W/"1"', 'W/"2"', 'W/"3"']);
});

Deno.test("a text that repeats is hashed twice", () => {
  assertEquals(hashed(new RecentTags(16, 64), inTurns(10, "again")), 2);
});

Deno.test("texts that never repeat are not kept", () => {
  const recent = new RecentTags(1, 64);
  const texts = Array.from({ length: 500 }, (_, i) => `text ${i}`);
  assertEquals(hashed(recent, texts), 500);
  // one of them may have been put forward, but none is there
  assertEquals(texts.filter((text) => recent.get(text) !== undefined), []);
});

Deno.test("one of the texts that take turns at a place gets it", () => {
  assertEquals(hashed(new RecentTags(1, 1000), inTurns(100, "a", "b", "c")) < 210, true);
});

Deno.test("a text that came often makes room for the one that comes now", () => {
  const recent = new RecentTags(1, 64);
  hashed(recent, inTurns(1000, "before"));
  // its tag is put forward by the eighth miss, and 64 repetitions follow
  assertEquals(hashed(recent, inTurns(1000, "now")), 8 + 64);
});

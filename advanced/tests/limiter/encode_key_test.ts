import { assert, assertEquals } from "@std/assert";
import { encodeKey, shortenKey } from "../../src/limiter/encode_key.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

Deno.test("different keys stay different in the store, whatever they contain", () => {
  const pick = seededRandom(20_260_723);
  const PIECES = [
    ..."ab:/{}*?[]\\\"'% \u0000\u0001\u0002\u0003\n\r\u007f\u00e9\u0301\ufffd",
    ...["\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ude00", "x".repeat(255), "x".repeat(300)],
  ];
  const seen = new Map<string, string>();
  const utf8 = new Map<string, string>();
  const inMemory = new Map<string, string>();
  const see = (key: string) => {
    const stored = encodeKey(key);
    assert(stored.length <= 256);
    const short = shortenKey(key);
    assert(short.length <= 256);
    assertEquals(inMemory.get(short) ?? key, key);
    inMemory.set(short, key);
    const before = seen.get(stored);
    assert(before === undefined || before === key, JSON.stringify([before, key]));
    seen.set(stored, key);
    const bytes = new TextEncoder().encode(stored).join();
    assert((utf8.get(bytes) ?? key) === key, `the same in UTF-8: ${JSON.stringify([utf8.get(bytes), key])}`);
    utf8.set(bytes, key);
    return stored;
  };
  for (let i = 0; i < 5_000; i++) {
    const key = Array.from({ length: 1 + pick(6) }, () => PIECES[pick(PIECES.length)]).join("");
    const stored = see(key);
    // an encoded key is also a valid key, and encodes differently unless it is the same string
    for (const form of [stored, shortenKey(key)]) if (form !== key) see(form);
  }
  for (const start of ["", "x".repeat(300)]) {
    const alike = ["\ud800", "\ud801", "\ufffd", "\\ud800", '"\\ud800"'].map((end) => see(start + end));
    assertEquals(new Set(alike).size, alike.length);
  }
});

import { assertEquals, assertNotEquals } from "@std/assert";
import etag from "etag";
import { Buffer } from "node:buffer";
import { ask, quietApp } from "../support/app.ts";
import { murmurTag } from "../support/murmur_tag.ts";

// lengths around those at which a hash or a runtime switches algorithms, and characters of one to four bytes
const LENGTHS = [0, 1, 3, 4, 15, 16, 17, 31, 100, 511, 512, 513, 16_383, 16_384, 16_385, 40_000, 131_073];
const BODIES = LENGTHS.flatMap((length) => ["x", "ü", "日", "a😀", "a\ud800b"].map((c) => c.repeat(length)));

async function tagsOf(setting: string | undefined): Promise<(string | null)[]> {
  const app = quietApp();
  if (setting !== undefined) app.set("etag", setting);
  app.get("/text/:index", (req, res) => res.send(BODIES[Number(req.params["index"])]));
  app.get("/bytes/:index", (req, res) => res.send(Buffer.from(BODIES[Number(req.params["index"])]!)));
  const tags: (string | null)[] = [];
  for (const kind of ["text", "bytes"]) {
    for (const index of BODIES.keys()) {
      const response = await ask(app, `/${kind}/${index}`);
      tags.push(response.headers.get("etag"));
      await response.body?.cancel();
    }
  }
  return tags;
}

const bytes = [...BODIES, ...BODIES].map((body) => Buffer.from(body));

Deno.test("a tag is the length and 64 bits of MurmurHash3 of what is sent, text or bytes", async () => {
  assertEquals(await tagsOf(undefined), bytes.map(murmurTag));
  assertEquals(await tagsOf("weak"), bytes.map(murmurTag));
});

Deno.test('with the setting "sha1" a tag is Express\'s, byte for byte', async () => {
  assertEquals(await tagsOf("sha1"), bytes.map((body) => etag(body, { weak: true })));
});

Deno.test("a strong tag is Express's, byte for byte", async () => {
  assertEquals(await tagsOf("strong"), bytes.map((body) => etag(body)));
});

Deno.test("texts that differ in one character have different tags", async () => {
  const app = quietApp();
  app.get("/:at", (req, res) => {
    const at = Number(req.params["at"]);
    res.send(`${"a".repeat(at)}b${"a".repeat(99 - at)}`);
  });
  const tags = new Set<string | null>();
  for (let at = 0; at < 100; at++) {
    const { headers } = await ask(app, `/${at}`);
    assertNotEquals(headers.get("etag"), null);
    tags.add(headers.get("etag"));
  }
  assertEquals(tags.size, 100);
});

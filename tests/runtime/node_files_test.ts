import { assertEquals } from "@std/assert";
import { askUntil, onNode, text, ways } from "../support/node_servers.ts";

const KIB = 1024;

onNode("a file that was sent before is sent as it is now, and closed whatever the response is", async (at) => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/page.bin`;
  const become = async (content: Uint8Array): Promise<void> => {
    await Deno.writeFile(`${path}.new`, content);
    await Deno.rename(`${path}.new`, path);
  };
  try {
    for (const way of ways) {
      const url = `${at(way)}/file/at?path=${encodeURIComponent(path)}`;
      const statusOf = async (headers: Record<string, string>, method = "GET"): Promise<number> => {
        const response = await fetch(url, { method, headers });
        await response.body?.cancel();
        return response.status;
      };
      let etag = "";
      for (const bytes of [4 * KIB, 1, 256 * KIB, 256 * KIB + 1, 0, 300 * KIB, 10]) {
        const content = crypto.getRandomValues(new Uint8Array(Math.min(bytes, 64 * KIB)));
        const whole = Uint8Array.from({ length: bytes }, (_, i) => content[i % content.length]!);
        await become(whole);
        assertEquals(await statusOf({ "if-none-match": etag }), 200);
        for (let i = 0; i < 3; i++) {
          const response = await fetch(url);
          assertEquals(response.headers.get("content-length"), String(bytes));
          assertEquals(await response.bytes(), whole);
          etag = response.headers.get("etag")!;
        }
        assertEquals(await statusOf({}, "HEAD"), 200);
        assertEquals(await statusOf({ "if-none-match": etag }), 304);
        assertEquals(await statusOf({ "if-match": '"another"' }), 412);
        assertEquals(await statusOf({ range: `bytes=${bytes}-` }), 416);
        if (bytes > 1) assertEquals(await text(url, { headers: { range: "bytes=1-1" } }), ascii(whole.subarray(1, 2)));
      }
      await Deno.remove(path);
      assertEquals(await statusOf({}), 404);
      await Deno.mkdir(path);
      assertEquals(await statusOf({}), 404);
      await Deno.remove(path);
      await become(new Uint8Array(4 * KIB));
      assertEquals((await (await fetch(url)).bytes()).length, 4 * KIB);
    }
    if (Deno.build.os !== "linux") return;
    const open = async (): Promise<number> =>
      JSON.parse(await text(`${at()}/files/open?path=${encodeURIComponent(path)}`)).open;
    assertEquals(await askUntil(open, (count) => count === 0), 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function ascii(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

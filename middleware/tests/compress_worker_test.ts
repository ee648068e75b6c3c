import { get as request } from "node:http";
import { gunzipSync } from "node:zlib";
import { assertEquals } from "@std/assert";
import { withWorker, WORKERD } from "../../tests/support/workerd.ts";

/** The response on the wire: coding and bytes. */
function onTheWire(url: string): Promise<[string | undefined, Uint8Array<ArrayBuffer>]> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { "accept-encoding": "gzip" } }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve([response.headers["content-encoding"], new Uint8Array(Buffer.concat(chunks))]));
    }).on("error", reject);
  });
}

for (const flags of [[], ["nodejs_compat"]]) {
  const which = flags.length === 0 ? "without node:zlib" : "with node:zlib";
  Deno.test(`a Worker ${which} compresses once`, WORKERD, async () => {
    await withWorker("tests/contracts/entries/exported.ts", { flags }, async ({ origin }) => {
      for (const way of ["json", "returned", "written"]) {
        const [coding, bytes] = await onTheWire(`${origin}/compressed/${way}`);
        assertEquals(coding, "gzip");
        assertEquals(JSON.parse(new TextDecoder().decode(gunzipSync(bytes))).length, 300, way);
      }
      const [coding, bytes] = await onTheWire(`${origin}/compressed/huge`);
      assertEquals([coding, gunzipSync(bytes).length], ["gzip", 320_000]);
    });
  });
}

Deno.test("a Worker without node:zlib sends events as they come, uncompressed", WORKERD, async () => {
  await withWorker("tests/contracts/entries/exported.ts", {}, async ({ origin }) => {
    const response = await fetch(`${origin}/compressed/events`, { headers: { "accept-encoding": "gzip" } });
    assertEquals(response.headers.get("content-encoding"), null);
    const reader = response.body!.getReader();
    assertEquals(new TextDecoder().decode((await reader.read()).value).startsWith("data: tick\n\n"), true);
    await reader.cancel();
  });
});

/** Bundle sizes for the framework and database entries. */
import { assert } from "@std/assert";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { minify } from "rolldown/utils";

const ROOT = new URL("../../../", import.meta.url);

/**
 * Maximum bytes for each, minified and compressed, with about 1 % headroom. Nearly all bytes are the limiter itself.
 */
const MOST_BYTES = 41_100;

/** The same for a store alone: its own code, plus the algorithms if it counts. */
const MOST_BYTES_OF_STORES: Readonly<Record<string, number>> = { cloudflare: 2_110, postgres: 14_250, sqlite: 9_610 };

async function bundled(name: string): Promise<{ code: string; bytes: number }> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(`advanced/${name}.ts`, ROOT)),
    resolve: {
      alias: {
        "@sluice/shared": fileURLToPath(new URL("shared/mod.ts", ROOT)),
        "@sluice/limiting": fileURLToPath(new URL("limiting/mod.ts", ROOT)),
      },
    },
    platform: "neutral",
  });
  const { output } = await bundle.generate({ format: "es", comments: false });
  await bundle.close();
  const { code } = await minify("entry.js", output[0].code);
  return { code, bytes: gzipSync(code, { level: 9 }).length };
}

function assertSmall(bytes: number, most: number): void {
  assert(bytes <= most, `${bytes} bytes are more than ${most}`);
  assert(bytes > most * 0.9, `${most} is too wide for ${bytes} bytes`);
}

for (const name of ["elysia", "fastify", "h3", "hono", "koa"]) {
  Deno.test(`@sluice/rate-limit/${name} is small, and stores that it does not use are left out`, async () => {
    const { code, bytes } = await bundled(name);
    assertSmall(bytes, MOST_BYTES);
    assert(!code.includes("redis.call"), "the scripts of RedisStore are in the bundle");
  });
}

for (const [name, most] of Object.entries(MOST_BYTES_OF_STORES)) {
  Deno.test(`@sluice/rate-limit/${name} is small, and imports no database`, async () => {
    const { code, bytes } = await bundled(name);
    assertSmall(bytes, most);
    assert(!/\bimport\b|\brequire\(/.test(code), "something is imported");
  });
}

/** The entries for frameworks, as programs bundle them. */
import { assert } from "@std/assert";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { minify } from "rolldown/utils";

const ROOT = new URL("../../../", import.meta.url);

/** Most bytes of each, minified and compressed, with about 1 % to grow: nearly all of it is the limiter itself. */
const MOST_BYTES = 35_600;

for (const name of ["elysia", "fastify", "h3", "hono", "koa"]) {
  Deno.test(`@sluice/rate-limit/${name} is small, and stores that it does not use are left out`, async () => {
    const bundle = await rolldown({
      input: fileURLToPath(new URL(`advanced/${name}.ts`, ROOT)),
      resolve: {
        alias: {
          "@sluice/limiting/core": fileURLToPath(new URL("limiting/core.ts", ROOT)),
          "@sluice/limiting": fileURLToPath(new URL("limiting/mod.ts", ROOT)),
        },
      },
      platform: "neutral",
    });
    const { output } = await bundle.generate({ format: "es", comments: false });
    await bundle.close();
    const { code } = await minify("entry.js", output[0].code);
    const bytes = gzipSync(code, { level: 9 }).length;
    assert(bytes <= MOST_BYTES, `${bytes} bytes are more than ${MOST_BYTES}`);
    assert(bytes > MOST_BYTES * 0.9, `${MOST_BYTES} is too wide for ${bytes} bytes`);
    assert(!code.includes("redis.call"), "the scripts of RedisStore are in the bundle");
  });
}

/** The `@sluice/middleware` entries, as programs load them. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { rolldown } from "rolldown";
import { minify } from "rolldown/utils";

const ROOT = new URL("../../", import.meta.url);

/** Maximum bytes for an entry, minified and compressed, without its npm dependencies. */
const MOST_BYTES = 8.5 * 1024;

/** Larger maximums, for members that programs expect from the packages they know. */
const LARGER: Readonly<Record<string, number>> = { "./session": 9.6 * 1024, "./upload": 8.8 * 1024 };

const { exports, imports } = JSON.parse(await Deno.readTextFile(new URL("middleware/deno.json", ROOT)));
const readme = await Deno.readTextFile(new URL("middleware/README.md", ROOT));
const entries = Object.entries<string>(exports);

/** Bundles an entry as a program's bundler would. */
async function bundled(path: string): Promise<string> {
  const packages = Object.keys(imports);
  const bundle = await rolldown({
    input: fileURLToPath(new URL(`middleware/${path}`, ROOT)),
    external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
    resolve: { alias: { "@sluice/shared": fileURLToPath(new URL("shared/mod.ts", ROOT)) } },
    platform: "neutral",
  });
  const { output } = await bundle.generate({ format: "es", comments: false });
  await bundle.close();
  assertEquals(output.length, 1);
  return output[0].code;
}

for (const [name, path] of entries) {
  Deno.test(`@sluice/middleware${name.slice(1)} is small`, async () => {
    const { code } = await minify("entry.js", await bundled(path));
    const bytes = gzipSync(code, { level: 9 }).length;
    const most = LARGER[name] ?? MOST_BYTES;
    assert(bytes <= most, `${bytes} bytes are more than ${most}`);
    const shown = readme.match(new RegExp(`^\\| \\[\`${name.slice(2)}\`\\].* ([\\d.]+) KiB \\|$`, "m"))?.[1];
    // an entry below another entry is documented in the parent entry's section
    if (name.split("/").length > 2) return;
    const kibibytes = bytes / 1024;
    assert(Math.abs(Number(shown) - kibibytes) < 0.15, `the README says ${shown} KiB, not ${kibibytes.toFixed(1)}`);
  });
}

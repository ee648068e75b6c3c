/** The `@sluice/openapi` functions, as programs load them. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { rolldown } from "rolldown";
import { minify } from "rolldown/utils";

const ROOT = new URL("../../", import.meta.url);
const readme = await Deno.readTextFile(new URL("openapi/README.md", ROOT));

/** Bundles some of a module's exports, as a program's bundler would. */
async function bundled(module: string, names: string): Promise<string> {
  const bundle = await rolldown({
    input: "entry",
    plugins: [{
      name: "entry",
      resolveId: (id) => id === "entry" ? id : null,
      load: (id) => {
        if (id !== "entry") return null;
        return `export { ${names} } from ${JSON.stringify(fileURLToPath(new URL(module, ROOT)))};`;
      },
    }],
    resolve: { alias: { "@sluice/shared": fileURLToPath(new URL("shared/mod.ts", ROOT)) } },
    platform: "neutral",
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.generate({ format: "es", comments: false });
  await bundle.close();
  assertEquals(output.length, 1);
  return output[0].code;
}

/** Maximum bytes, minified and compressed. */
const BUDGETS = [
  { names: "validate", module: "openapi/mod.ts", most: 13.1 * 1024 },
  { names: "operation", module: "openapi/mod.ts", most: 2.2 * 1024 },
  { names: "openapi", module: "openapi/mod.ts", most: 12.15 * 1024 },
  { names: "openapiPages", module: "openapi/pages.ts", most: 13.7 * 1024 },
  { names: "makeClient", module: "openapi/client.ts", most: 2.75 * 1024 },
  { names: "agentTools", module: "openapi/mod.ts", most: 2 * 1024 },
];

for (const { names, module, most } of BUDGETS) {
  Deno.test(`${names} of @sluice/openapi is as small as its README says`, async () => {
    const { code } = await minify("entry.js", await bundled(module, names));
    const bytes = gzipSync(code, { level: 9 }).length;
    assert(bytes <= most, `${bytes} bytes are more than ${most}`);
    const shown = readme.match(new RegExp(`^\\| \`${names}\` .* ([\\d.]+) KiB +\\|$`, "m"))?.[1];
    const kibibytes = bytes / 1024;
    assert(Math.abs(Number(shown) - kibibytes) < 0.15, `the README says ${shown} KiB, not ${kibibytes.toFixed(1)}`);
  });
}

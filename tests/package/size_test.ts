/** The table in docs/measurements/size.md, and the code that generates it. */
import { assert, assertEquals } from "@std/assert";
import { bundledParts, sharesOf } from "../../scripts/size.ts";
import { FEATURES, fits } from "../../scripts/size_features.ts";
import { sourcePaths } from "../support/sources.ts";

const parts = await bundledParts("hello");
const { minified, gzipped, shares, unknown } = sharesOf(parts);

Deno.test("every file of the smallest Worker is for a feature, and all together are the Worker", () => {
  assertEquals(unknown, []);
  assertEquals(shares.reduce((sum, share) => sum + share.minified, 0), minified);
  // without them, only gzip's fixed overhead would remain
  assert(shares.every((share) => share.gzipped >= 0 && share.gzipped < gzipped));
});

Deno.test("every file that is listed for a feature exists", async () => {
  const paths = [...await sourcePaths("src/"), ...parts.map(({ path }) => path)];
  const entries = FEATURES.flatMap(({ files }) => files);
  assertEquals(entries.filter((entry) => !paths.some((path) => fits(entry, path))), []);
  assertEquals(entries.filter((entry, i) => entries.indexOf(entry) < i), []);
});

Deno.test("docs/measurements/size.md has all features, and sizes within 2 %", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/measurements/size.md", import.meta.url));
  const rows = Array.from(page.matchAll(/^\| (.+?) +\| [\d.]+ +\| [\d.]+ +\|/gm), ([, name]) => name!);
  assertEquals(rows.toSorted(), shares.filter((share) => share.minified > 0).map(({ feature }) => feature).toSorted());
  const [, all, compressed] = /^\| \*\*together\*\* +\| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \|/m.exec(page)!;
  for (const [written, bytes] of [[all, minified], [compressed, gzipped]] as const) {
    const difference = Math.abs(Number(written) * 1024 / bytes - 1);
    assert(difference < 0.02, `${written} KiB, and ${bytes} bytes now: run deno task size --write`);
  }
});

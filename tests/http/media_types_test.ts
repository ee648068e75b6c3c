import { assertEquals } from "@std/assert";
import { lookup, mimes } from "mrmime";
import { mediaTypeOf } from "../../src/http/media_types.ts";
import { typesByExtension } from "../../src/http/media_type_table.ts";

/** Extensions that have a different IANA type today. */
const RENAMED: Readonly<Record<string, string>> = { xml: "application/xml", rtf: "application/rtf" };

/** Extensions that `mrmime` lacks. */
const ADDED = new Set(
  "7z aif aiff apk avi bz2 crx docx eot flac flv hbs htc ico kml kmz m3u m3u8 m4b m4v mka mkv mobi odp ods odt p12 pem ppt pptx psd rar rpm sh srt tar torrent vcf wma wmv xls xlsx xz"
    .split(" "),
);

Deno.test("every extension that mrmime knows has the same media type", () => {
  const extensions = Object.keys(mimes);
  assertEquals(extensions.length > 400, true);
  const differing = extensions.filter((one) => mediaTypeOf(one) !== (RENAMED[one] ?? lookup(one)));
  assertEquals(differing, []);
});

Deno.test("the table has what mrmime knows and what the list adds, all in lower case, and nothing else", () => {
  const types = typesByExtension();
  assertEquals([...types.keys()].filter((one) => !(one in mimes)).sort(), [...ADDED].sort());
  assertEquals([...types].filter(([extension]) => !/^[a-z0-9-]+$/.test(extension)), []);
  assertEquals([...types.values()].filter((type) => !/^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/.test(type)), []);
});

Deno.test("what is no extension has no media type", () => {
  for (const name of ["", ".", "constructor", "__proto__", "html\u00a0", " html", "a/html", "x.unknown"]) {
    assertEquals(mediaTypeOf(name), undefined, name);
  }
  assertEquals(mediaTypeOf("data/page.HTML"), "text/html");
});

/** The configuration guide lists all settings. */
import { assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the guide to configuration has every setting", async () => {
  const source = await Deno.readTextFile(new URL("src/app/settings.ts", ROOT));
  const [, declared] = source.match(/interface AppSettings \{(.*?)^\}/ms)!;
  const settings = [...declared!.matchAll(/^ {2}"?([\w -]+?)"?\??: /gm)].map(([, name]) => name!);
  const page = await Deno.readTextFile(new URL("docs/guide/configuration.md", ROOT));
  const listed = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!);
  assertEquals(listed.sort(), settings.sort());
});

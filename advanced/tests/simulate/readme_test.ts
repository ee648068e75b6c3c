/** The README's example is what the command prints. */
import { assertEquals } from "@std/assert";
import { exampleLog } from "../support/example_log.ts";
import { simulate } from "../support/simulate_command.ts";

const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
// a command goes on in the next line
const section = readme.slice(readme.indexOf("## What if")).replaceAll(/ \\\n +/g, " ");
const [, command] = section.match(/simulate (access\.log .*)/)!;
const [, policies] = section.match(/```yaml\n(.*?)```/s)!;
const [, output] = section.match(/\n```\n(access\.log: .*?)```/s)!;

Deno.test("the README shows what the command prints", async () => {
  const files = { "access.log": exampleLog(), "policies.yaml": policies! };
  assertEquals((await simulate(files, command!.split(" "))).output, output);
});

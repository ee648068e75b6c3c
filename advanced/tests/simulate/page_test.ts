/** The command prints the example in docs/limits/reference/simulation.md. */
import { assertEquals } from "@std/assert";
import { exampleLog } from "../support/example_log.ts";
import { simulate } from "../support/simulate_command.ts";

const page = await Deno.readTextFile(new URL("../../../docs/limits/reference/simulation.md", import.meta.url));
// a command continues on the next line
const text = page.replaceAll(/ \\\n +/g, " ");
const [, command] = text.match(/simulate (access\.log .*)/)!;
const [, policies] = text.match(/```yaml\n(.*?)```/s)!;
const [, output] = text.match(/\n```\n(access\.log: .*?)```/s)!;

Deno.test("the page about the simulator shows what the command prints", async () => {
  const files = { "access.log": exampleLog(), "policies.yaml": policies! };
  assertEquals((await simulate(files, command!.split(" "))).output, output);
});

/** The solutions, written with `llms-small.txt` alone, do what their tasks ask for. */
import { TASKS } from "./tasks.ts";

for (const { name, check } of TASKS) {
  Deno.test(`the solution of the task "${name}" does what was asked`, async () => {
    await check(await import(`./solutions/${name}.ts`));
  });
}

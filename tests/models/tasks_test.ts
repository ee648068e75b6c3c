/** The solutions, written with `llms-small.txt` alone, fulfill their tasks. */
import { TASKS } from "./tasks.ts";

for (const { name, check } of TASKS) {
  Deno.test(`the solution of the task "${name}" does what was asked`, async () => {
    await check(await import(`./solutions/${name}.ts`));
  });
}

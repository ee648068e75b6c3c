/** Prints how many bytes ten thousand requests of each kind leave in the heap, as JSON in the last line. */
import sluice from "@sluice/sluice";
// @ts-types="../misbehaving.d.ts"
import misbehave, { ENDING } from "../misbehaving.js";

const REQUESTS = 10_000;
const app = sluice();
app.set("env", "test");
misbehave(app);

declare const gc: () => void;

async function ask(path: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 100) {
    await Promise.all(Array.from({ length: 100 }, async () => {
      try {
        const answer = await Promise.race([
          app.fetch(new Request(`http://localhost${path}`)),
          // what was broken off before it began has no answer in process
          new Promise<null>((resolve) => setTimeout(resolve, 2, null)),
        ]);
        await answer?.text();
      } catch {
        // a body that breaks off
      }
    }));
  }
  // timers of the handlers themselves
  await new Promise((resolve) => setTimeout(resolve, 20));
}

function heap(): number {
  for (let i = 0; i < 4; i++) gc();
  return Deno.memoryUsage().heapUsed;
}

const grown: Record<string, number> = {};
for (const path of ENDING) {
  await ask(path, 1000);
  const before = heap();
  await ask(path, REQUESTS);
  grown[path] = heap() - before;
}
console.log(JSON.stringify(grown));

/** One contestant of one section; see `child.ts`. */
import { linesOf } from "../../scripts/lines.ts";

const [section = "", name = "", second = "", third = ""] = Deno.args;

async function prepare(): Promise<() => unknown> {
  switch (section) {
    case "memory":
      return (await import("./memory.ts")).memoryWorker(name, second);
    case "middleware":
      return (await import("./middleware.ts")).middlewareWorker(name, second, third);
    case "heap":
      return (await import("./heap.ts")).heapWorker(name);
    case "pauses":
      return (await import("./pauses.ts")).pausesWorker(name);
    case "redis":
      return (await import("./redis.ts")).redisWorker(name, second);
    default:
      throw new Error(`there is no section ${section}`);
  }
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const round = await prepare();
say("ready");
for await (const _ of linesOf(Deno.stdin.readable)) say(JSON.stringify(await round()));
Deno.exit(0);

/** One contestant in one section; see `support/child.ts`. */
import { answerRounds } from "../support/response_rounds.ts";

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

const round = await prepare();
await answerRounds(() => round());

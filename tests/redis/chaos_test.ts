import { assert, assertEquals } from "@std/assert";
import { limiterFault } from "../../reliability/chaos/limiter.ts";

const FROZEN = "Redis frozen for 2 s (SIGSTOP)";

Deno.test("a run of faults measures that processes which do not know of each other admit too much without Redis", async () => {
  const { lost, over, broken } = await limiterFault(FROZEN, { processes: 1 });
  assertEquals(lost, 0);
  assert(over! > 0 && broken?.includes("admitted beyond"), `${over} were admitted too many: ${broken}`);
});

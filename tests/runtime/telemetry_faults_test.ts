/** Monitoring agents that are incomplete or throw, on every runtime with its own server: they never cost a response. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Result for one broken agent. */
interface Outcome {
  readonly fault: string;
  /** Responses from the server and from `app.fetch`. */
  readonly served: string[];
  readonly fetched: string[];
  /** Reports in the first round, and in an identical second one. */
  readonly reported: number;
  readonly again: number;
  /** Errors that reached the process. */
  readonly uncaught: number;
}

const RESPONSES = ["200 user 7", "200 user 7", "500 ", "500 ", "cut", "404 "];

/** Agents that work, or whose faults have no effect. */
const HARMLESS = [
  "no agent",
  "a span that works",
  "a span that is null",
  "a context that is missing",
  "a context that is undefined",
  "a propagator that throws",
  "a tracer that works",
  "a tracer that begins nothing",
  "a context manager whose with runs nothing",
  "a context manager whose with runs twice",
  "a subscriber that works",
  "metadata that cannot be read",
  "channels whose runStores runs nothing",
  "channels whose runStores runs twice",
];

/** Node's module catches these errors and throws them on a separate tick: an uncaught exception, as in Express. */
const THROWN_BY_NODE = ["a subscriber that throws", "a store whose value throws"];

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(
    `${name}: an agent that is incomplete or throws is reported once and fails no request`,
    { ignore },
    async () => {
      const [program, ...args] = await command("tests/fixtures/telemetry_faults.ts");
      const { stdout } = await new Deno.Command(program, {
        args,
        cwd: fileURLToPath(new URL("../../", import.meta.url)),
        stderr: "inherit",
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).output();
      const outcomes: Outcome[] = new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(outcomes.length, 63);
      for (const { fault, served, fetched, reported, again, uncaught } of outcomes) {
        assertEquals({ fault, served, fetched }, { fault, served: RESPONSES, fetched: RESPONSES });
        assertEquals({ fault, again }, { fault, again: 0 });
        const isThrown = THROWN_BY_NODE.includes(fault);
        assertEquals({ fault, uncaught: isThrown || uncaught === 0 }, { fault, uncaught: true });
        assert(isThrown || HARMLESS.includes(fault) === (reported === 0), `${fault}: ${reported} reports`);
      }
    },
  );
}

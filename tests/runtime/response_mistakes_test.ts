/** Response mistakes: every runtime throws the same class and code as Node's own server. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES, type ListeningRuntime } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";

type Outcomes = Readonly<Record<string, string>>;

async function outcomesOf({ command }: ListeningRuntime, ...further: string[]): Promise<Outcomes> {
  const [program, ...args] = await command("tests/fixtures/response_mistakes.ts");
  const { stdout } = await new Deno.Command(program, {
    args: [...args, ...further],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    stderr: "inherit",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Differences, and the error thrown instead. */
const DIFFERENCES: Outcomes = {
  // web responses cannot carry them
  ...Object.fromEntries(
    [100, 101, 199, 999].map((status) => [
      `statusCode ${status}`,
      "throws RangeError ERR_HTTP_INVALID_STATUS_CODE",
    ]),
  ),
  // a symbol is not an encoding; Node happens to throw a different error for it
  "write in encoding symbol": "throws TypeError ERR_UNKNOWN_ENCODING",
  "end in encoding symbol": "throws TypeError ERR_UNKNOWN_ENCODING",
};

let reference: Promise<Outcomes> | undefined;
const node = LISTENING_RUNTIMES.find(({ name }) => name === "Node")!;
for (const runtime of LISTENING_RUNTIMES) {
  const ignore = runtime.ignore || node.ignore;
  Deno.test(
    `${runtime.name}: mistakes with a response have the classes and codes of Node's errors`,
    { ignore },
    async () => {
      const [expected, found] = await Promise.all([reference ??= outcomesOf(node, "http"), outcomesOf(runtime)]);
      assertEquals(Object.keys(found).length, Object.keys(expected).length);
      assert(Object.values(expected).filter((outcome) => outcome.startsWith("throws")).length > 250);
      const differences = Object.entries(found).filter(([name, outcome]) => outcome !== expected[name]);
      assertEquals(Object.fromEntries(differences), DIFFERENCES);
    },
  );
}

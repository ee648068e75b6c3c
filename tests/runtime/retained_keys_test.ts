/** Request data in limiters, and long strings in caches, on engines where a substring may retain the whole string. */
import { assertEquals } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { bundled } from "../contracts/bundled.ts";
import { skipNode, startNodeWithFiles } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const PROGRAM = "tests/fixtures/retained_keys.ts";
const runtimes = Deno.env.get("SLUICE_RUNTIMES");

/** Limiters and caches that retain over 10 MiB: half of a limiter's headers or URLs, or a hundred long strings. */
function greedy(line: string): string[] {
  return Object.entries(JSON.parse(line) as Record<string, number>).filter(([, mib]) => mib > 10).map(String);
}

Deno.test(
  "on Node, limiters and caches keep parts of texts, and not the headers, URLs and messages that contained them",
  {
    ignore: skipNode,
  },
  async () => {
    await using program = await startNodeWithFiles(100, PROGRAM);
    assertEquals(greedy(program.line), []);
  },
);

Deno.test(
  "on Bun, limiters and caches keep parts of texts, and not the headers, URLs and messages that contained them",
  {
    ignore: runtimes === undefined,
  },
  async () => {
    const program = await bundled(PROGRAM, "deno");
    const { output } = await run(`${runtimes}node_modules/.bin/bun`, [program], { limitMs: PATIENCE_MS, quiet: true });
    assertEquals(greedy(output.trim().split("\n").at(-1)!), []);
  },
);

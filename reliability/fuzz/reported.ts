import type { FuzzReport } from "./fuzzer.ts";

/**
 * A run's result as a string.
 *
 * @param report The result
 * @param part Name with which the command runs this fuzzer alone
 */
export function reported({ by, rounds, steps, findings }: FuzzReport, part: string): string {
  const lines = [`${by}: ${steps} steps in ${rounds} rounds, ${findings.length || "nothing"} found`];
  for (const { kind, detail, seed, reproduction } of findings) {
    const again = `deno task fuzz --only ${part} --seed ${seed}`;
    lines.push(`\nFOUND: ${kind} (${again})`, indented(detail), "reproduction:", indented(reproduction));
  }
  return lines.join("\n");
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

/** The log for the example in docs/limits/reference/simulation.md. */
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { combinedLine } from "./simulate_command.ts";

const BEGIN = Date.UTC(2026, 9, 10, 6) / 60_000;

/**
 * Sixteen hours at an API: 240 clients, one that sends as fast as it can for half an hour, a network that retries in a
 * loop, and a line that is not a request.
 */
export function exampleLog(): string {
  const pick = seededRandom(55);
  const lines: string[] = [];
  for (let minute = 0; minute < 16 * 60; minute++) {
    const clients = Array.from({ length: 6 + pick(6) }, () => `198.51.100.${1 + Math.min(pick(240), pick(240))}`);
    if (minute >= 420 && minute < 450) clients.push(...Array(90).fill("203.0.113.9"));
    if (minute >= 800 && minute < 806) {
      clients.push(...Array.from({ length: 45 }, () => `2001:db8:4::${1 + pick(8)}`));
    }
    const seconds = clients.map(() => pick(60)).sort((a, b) => a - b);
    seconds.forEach((second, i) => {
      const address = clients.splice(pick(clients.length), 1)[0]!;
      lines.push(
        combinedLine({ second: (BEGIN + minute) * 60 + second, address, method: "GET", path: `/api/items/${i}` }),
      );
    });
  }
  lines.splice(4000, 0, "\u0016\u0003\u0001 <script>alert(1)</script>");
  return lines.map((line) => `${line}\n`).join("");
}

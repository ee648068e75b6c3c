/** Looks at the answers before anything is measured: who answers wrongly has no time. */
import { requestOf, type Scenario } from "../scenarios.ts";
import type { Server } from "../support/server.ts";

/** Headers that may differ between handlers that send the same bytes. */
const OF_THE_SERVER = new Set(["date", "vary"]);

/**
 * Asks everybody everything once.
 *
 * @param servers The contestants
 * @param scenarios The questions
 * @throws {Error} If one answers with another status or body than the scenario says
 */
export async function checkAnswers(
  servers: ReadonlyMap<string, Server>,
  scenarios: readonly Scenario[],
): Promise<void> {
  for (const [name, { origin }] of servers) {
    for (const scenario of scenarios) {
      const response = await fetch(requestOf(scenario, origin));
      const text = await response.text();
      if (response.status !== scenario.status || !isAnswer(text, scenario.answer)) {
        throw new Error(`${name} answers "${scenario.name}" with ${response.status} ${text}`);
      }
    }
  }
}

function isAnswer(text: string, answer: unknown): boolean {
  if (answer === null || typeof answer === "string") return answer === null || text === answer;
  return text === JSON.stringify(answer);
}

/**
 * Compares two that claim to send the same bytes.
 *
 * @param one The one
 * @param other The other
 * @param scenarios The questions
 * @throws {Error} If a header or a body differs
 */
export async function checkSameBytes(one: Server, other: Server, scenarios: readonly Scenario[]): Promise<void> {
  for (const scenario of scenarios) {
    const [first, second] = await Promise.all([one, other].map(({ origin }) => bytesOf(requestOf(scenario, origin))));
    if (first !== second) {
      throw new Error(`the answers to "${scenario.name}" are not the same bytes:\n${first}\n\n${second}`);
    }
  }
}

async function bytesOf(request: Request): Promise<string> {
  const response = await fetch(request);
  const headers = [...response.headers].filter(([name]) => !OF_THE_SERVER.has(name));
  return [response.status, ...headers.map(([name, value]) => `${name}: ${value}`), await response.text()].join("\n");
}

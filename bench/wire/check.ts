/** Checks the answers before anything is measured: a wrong answer makes timings meaningless. */
import { requestOf, type Scenario } from "../scenarios.ts";

/** Something that answers requests: a handler, or a server behind `fetch`. */
export type Ask = (request: Request) => Response | Promise<Response>;

/** Headers that may differ between handlers that send the same bytes. */
const OF_THE_SERVER = new Set(["date", "vary"]);

/**
 * Sends every scenario once.
 *
 * @param name Name of the contestant
 * @param ask Answers requests
 * @param scenarios The scenarios
 * @param origin Scheme and host of the requests
 * @throws {Error} If the status or the body differs from the scenario
 */
export async function checkAnswers(
  name: string,
  ask: Ask,
  scenarios: readonly Scenario[],
  origin: string,
): Promise<void> {
  for (const scenario of scenarios) {
    const response = await ask(requestOf(scenario, origin));
    const text = await response.text();
    if (response.status !== scenario.status || !isAnswer(text, scenario.answer)) {
      throw new Error(`${name} answers "${scenario.name}" with ${response.status} ${text}`);
    }
  }
}

function isAnswer(text: string, answer: unknown): boolean {
  if (answer === null || typeof answer === "string") return answer === null || text === answer;
  return text === JSON.stringify(answer);
}

/**
 * Describes every answer, headers and body, so that two contestants that claim to send the same bytes can be compared.
 *
 * @param ask Answers
 * @param scenarios The questions
 * @param origin Scheme and host of the requests
 * @returns One text for each scenario
 */
export async function bytesOf(ask: Ask, scenarios: readonly Scenario[], origin: string): Promise<string[]> {
  const texts: string[] = [];
  for (const scenario of scenarios) {
    const response = await ask(requestOf(scenario, origin));
    const headers = [...response.headers].filter(([name]) => !OF_THE_SERVER.has(name));
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    texts.push([scenario.name, response.status, ...lines, await response.text()].join("\n"));
  }
  return texts;
}

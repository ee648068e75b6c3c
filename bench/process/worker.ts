/** One contestant in one scenario: `worker.ts <contestant> <scenario>`; see `support/child.ts`. */
import { requestOf, type Scenario, SCENARIOS } from "../scenarios.ts";
import { type FetchHandler, fetchHandler } from "../servers/handlers.ts";
import { besides } from "../support/batches.ts";
import { answerRounds } from "../support/child.ts";

const BATCHES = 20;
const ORIGIN = "http://localhost:8000";

const [contestant = "", name = ""] = Deno.args;
const scenario = SCENARIOS.find((one) => one.name === name)!;
const handler = await fetchHandler(contestant);
const floor = bare(scenario);

/** Makes the request, reads its body if it has one, and makes the answer. */
function bare({ status, answer, body }: Scenario): FetchHandler {
  if (status === 404) return () => new Response("Not Found", { status });
  if (body !== undefined) return (request) => request.json().then(Response.json);
  return typeof answer === "string" ? () => new Response(answer) : () => Response.json(answer);
}

const batches = await besides(
  () => floor(requestOf(scenario, ORIGIN)),
  () => handler(requestOf(scenario, ORIGIN)),
);
await answerRounds(() => batches(BATCHES));

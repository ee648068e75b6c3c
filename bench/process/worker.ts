/** One contestant in one scenario: `worker.ts <contestant> <scenario>`; see `support/child.ts`. */
import { requestOf, type Scenario, SCENARIOS } from "../scenarios.ts";
import { type FetchHandler, fetchHandler } from "../servers/handlers.ts";
import { besides } from "../support/batches.ts";
import { answerRounds } from "../support/answer_rounds.ts";

const BATCHES = 200;
const ORIGIN = "http://localhost:8000";

const [contestant = "", name = ""] = Deno.args;
const scenario = SCENARIOS.find((one) => one.name === name)!;
const handler = await fetchHandler(contestant);
const floor = bare(scenario);

/** Reads the request's body, if any, and makes the answer. */
function bare({ status, answer, body }: Scenario): FetchHandler {
  if (status === 404) return () => new Response("Not Found", { status });
  if (body !== undefined) return (request) => request.json().then(Response.json);
  return typeof answer === "string" ? () => new Response(answer) : () => Response.json(answer);
}

let requests: Request[] = [];
const batches = await besides(
  (turn) => floor(requests[turn]!),
  (turn) => handler(requests[turn]!),
  (calls) => {
    requests = Array.from({ length: calls }, () => requestOf(scenario, ORIGIN));
  },
);
await answerRounds(() => batches(BATCHES));

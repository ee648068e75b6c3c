/** One contestant in one scenario: `worker.ts <contestant> <scenario>`; see `support/child.ts`. */
import { type FetchHandler, fetchHandler } from "../servers/handlers.ts";
import { CLIENTS } from "../service/clients.ts";
import { type Answer, webRequest } from "../service/exchange.ts";
import { FOLDER } from "../service/files.ts";
import { exchangesOf, SCENARIOS } from "../service/scenarios.ts";
import { answerRounds } from "../support/response_rounds.ts";
import { besides, type Call } from "../support/batches.ts";

const BATCHES = 200;

const [contestant = "", name = ""] = Deno.args;
const scenario = SCENARIOS.find((one) => one.name === name)!;
const { application } = scenario;
const honoStatic = () => Promise.reject(new Error("files are not served in process"));
const handler: FetchHandler = await fetchHandler(contestant, { application, folder: FOLDER }, honoStatic);
const exchanges = exchangesOf(scenario, CLIENTS[0]!);
const values = exchanges.map(({ answer }) => valueOf(answer));

function valueOf({ type, body }: Answer): unknown {
  return body === null || type?.startsWith("text/") ? body : JSON.parse(body);
}

/** Reads the request's body, if any, and creates the response. */
function bareOf({ answer: { status }, asked: { method } }: (typeof exchanges)[number]): Call {
  if (status === 404) return () => new Response("Not Found", { status });
  if (method === "POST") return (turn) => requests[turn]!.json().then((value) => Response.json(value, { status }));
  if (typeof values[0] === "string") return (turn) => new Response(values[first + turn] as string);
  return (turn) => Response.json(values[first + turn]);
}

let first = 0;
let requests: Request[] = [];

// every batch has new requests, until all have been sent
function prepare(calls: number): void {
  first = first + 2 * calls > exchanges.length ? 0 : first + calls;
  requests = exchanges.slice(first, first + calls).map(({ asked }) => webRequest(asked));
}

const batches = await besides(bareOf(exchanges[0]!), (turn) => handler(requests[turn]!), prepare);
await answerRounds(() => batches(BATCHES));

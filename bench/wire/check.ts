/** Checks the responses before anything is measured: a wrong response makes timings meaningless. */
import { request } from "node:http";
import type { Answer, Asked, Exchange } from "../service/exchange.ts";
import { fieldsOf, webRequest } from "../service/exchange.ts";

/** A response, as it arrived. */
export interface Got {
  readonly status: number;
  /** Headers, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Responds to requests: a handler or a server. */
export type Ask = (asked: Asked) => Promise<Got>;

/** Headers that may differ between handlers that send the same bytes: the server's and its connection's. */
const OF_THE_SERVER = new Set(["date", "vary", "connection", "keep-alive", "content-length"]);

/** Number of requests to check per scenario. */
const CHECKED = 7;

/** Calls a handler in this process. */
export function inProcess(handler: (request: Request) => Response | Promise<Response>): Ask {
  return async (asked) => {
    const response = await handler(webRequest(asked));
    const { status, headers } = response;
    return { status, headers: Object.fromEntries(headers), body: await response.text() };
  };
}

/** Calls a server on this machine, with exactly the headers that a load sends. */
export function overTheWire(port: number): Ask {
  return (asked) =>
    new Promise((resolve, reject) => {
      const { method, path, body } = asked;
      const sent = request({ port, host: "127.0.0.1", method, path, headers: fieldsOf(asked) }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => text += chunk).on("error", reject);
        answer.on("end", () => {
          const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
          resolve({ status: answer.statusCode!, headers: Object.fromEntries(headers), body: text });
        });
      });
      sent.on("error", reject).end(body);
    });
}

/** Selects some requests from a scenario, evenly spread. */
export function some(exchanges: readonly Exchange[]): Exchange[] {
  const step = Math.max(1, Math.floor(exchanges.length / CHECKED));
  return exchanges.filter((_, i) => i % step === 0).slice(0, CHECKED);
}

/**
 * Sends some requests from a scenario, and checks the responses.
 *
 * @param name The contestant's name
 * @param ask Responds to requests
 * @param exchanges The scenario's exchanges
 * @throws {Error} If the status, body, type or any other relevant header is not as expected
 */
export async function checkAnswers(name: string, ask: Ask, exchanges: readonly Exchange[]): Promise<void> {
  for (const { asked, answer } of some(exchanges)) {
    const got = await ask(asked);
    if (isExpected(got, answer)) continue;
    const { method, path } = asked;
    throw new Error(`${name} answers ${method} ${path} with ${JSON.stringify(got)}, not ${JSON.stringify(answer)}`);
  }
}

function isExpected({ status, headers, body }: Got, answer: Answer): boolean {
  return status === answer.status &&
    (answer.body === null || body === answer.body) &&
    (answer.type === null || headers["content-type"]?.startsWith(answer.type) === true) &&
    Object.entries(answer.headers ?? {}).every(([name, value]) => headers[name] === value);
}

/**
 * Describes responses to some requests from a scenario, to compare two contestants that claim to send the same bytes.
 * Where a response has an entity tag, a conditional request with it is also sent.
 *
 * @param ask Responds to requests
 * @param exchanges The scenario's
 * @returns One string per response
 */
export async function bytesOf(ask: Ask, exchanges: readonly Exchange[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { asked } of some(exchanges)) {
    const got = await ask(asked);
    texts.push(described(asked, got));
    const tag = got.headers["etag"];
    if (tag === undefined || asked.method !== "GET") continue;
    const again = { ...asked, headers: { ...asked.headers, "If-None-Match": tag } };
    texts.push(described(again, await ask(again)));
  }
  return texts;
}

function described({ method, path }: Asked, { status, headers, body }: Got): string {
  const fields = Object.entries(headers).filter(([name]) => !OF_THE_SERVER.has(name)).sort();
  return [`${method} ${path}`, status, ...fields.map(([name, value]) => `${name}: ${value}`), body].join("\n");
}

/**
 * Compares the bytes that two contestants send.
 *
 * @param names Their names
 * @param asks Responds to requests, for each
 * @param exchanges A scenario's exchanges
 * @throws {Error} If the bytes differ
 */
export async function checkSameBytes(
  names: readonly [string, string],
  asks: readonly [Ask, Ask],
  exchanges: readonly Exchange[],
): Promise<void> {
  const [first, second] = [await bytesOf(asks[0], exchanges), await bytesOf(asks[1], exchanges)];
  const at = first.findIndex((text, i) => text !== second[i]);
  if (at === -1 && first.length === second.length) return;
  throw new Error(`${names.join(" and ")} do not send the same bytes:\n${first[at]}\n\n${second[at]}`);
}

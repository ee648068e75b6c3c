/** Checks for every example in `examples/deploy`, wherever it runs. */
import { assert, assertEquals } from "@std/assert";
import type { Serving } from "../../contracts/serving.ts";

/** Sends a request to the service. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** A running service. */
export interface Service {
  readonly ask: Ask;
  /** The name set in its environment. */
  readonly name: string;
  /** Headers that make a request appear to come from a different client. */
  readonly otherClient?: Readonly<Record<string, string>>;
  /** The receiver of its conversion reports. */
  readonly audits: Audits;
}

/** Conversions allowed per client. */
const LIMIT = 10;

/**
 * Tests everything a service does. Its clients must not have sent any requests yet.
 *
 * @param service The service
 */
export async function checkService({ ask, name, otherClient, audits }: Service): Promise<void> {
  assertEquals(await answered(ask("/")), [200, { service: name, units: ["m", "km", "ft", "mi"] }]);

  assertEquals(await answered(ask("/convert/3/km/m")), [200, { result: 3000 }]);
  const { ip, ...entry } = await audits.next();
  assertEquals(entry, { amount: "3", from: "km", to: "m" });
  assert(typeof ip === "string" && ip !== "", "the audit names no client");

  assertEquals(await answered(ask("/convert/3/km/parsec")), [422, { error: "There is no unit parsec" }]);
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ amount: 5, from: "mi", to: "m" });
  assertEquals(await answered(ask("/convert", { method: "POST", headers, body })), [200, { result: 8046.72 }]);
  const [status, { error }] = await answered(ask("/convert", { method: "POST", headers, body: "{" }));
  assertEquals([status, typeof error], [400, "string"]);
  assertEquals(await answered(ask("/nowhere")), [404, { error: "There is nothing at /nowhere" }]);

  const all = await Promise.all(Array.from({ length: LIMIT }, () => ask("/convert/1/m/m")));
  const refused = all.filter((response) => response.status === 429);
  // four conversions were already requested
  assertEquals([all.length, refused.length], [LIMIT, 4], "the limiter does not admit ten");
  assert(refused.every((response) => Number(response.headers.get("retry-after")) > 0));
  for (const response of all) await response.body?.cancel();
  for (let admitted = 4; admitted < LIMIT; admitted++) await audits.next();

  assertEquals((await answered(ask("/")))[0], 200, "the limiter is for conversions alone");
  if (otherClient === undefined) return;
  assertEquals(await answered(ask("/convert/1/mi/ft", { headers: otherClient })), [200, { result: 1609.344 / 0.3048 }]);
  await audits.next();
}

async function answered(response: Promise<Response>): Promise<[number, Record<string, unknown>]> {
  const { status, headers, text } = await response.then(async (one) => ({
    status: one.status,
    headers: one.headers,
    text: await one.text(),
  }));
  assertEquals(headers.get("content-type"), "application/json; charset=utf-8", text);
  return [status, JSON.parse(text)];
}

/**
 * Sends requests to two instances as one client, and asserts that they share a count.
 *
 * @param start Starts an instance that reads the client's address from `X-Forwarded-For`
 */
export async function checkTogether(start: () => Promise<Serving>): Promise<void> {
  const instances = [await start(), await start()];
  try {
    // counts stored elsewhere still exist when the tests run again
    const subnet = () => `2001:db8:${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}::1`;
    // the first decision connects and loads the script, which may exceed the timeout for a decision
    for (const { ask } of instances) await (await asClient(ask, subnet())("/convert/1/m/m")).body?.cancel();
    const client = subnet();
    const asks = instances.map(({ ask }) => asClient(ask, client));
    const responses = await Promise.all(Array.from({ length: LIMIT + 6 }, (_, i) => asks[i % 2]!("/convert/1/m/m")));
    for (const response of responses) await response.body?.cancel();
    assertEquals(responses.filter(({ status }) => status === 200).length, LIMIT);
    assertEquals(responses.filter(({ status }) => status === 429).length, 6);
  } finally {
    for (const { stop } of instances) await stop();
  }
}

/**
 * Sends requests as a proxy would, for one client.
 *
 * @param ask Sends a request to the service
 * @param address The client
 */
export function asClient(ask: Ask, address: string): Ask {
  return (path, init) => ask(path, { ...init, headers: { "x-forwarded-for": address, ...init?.headers as object } });
}

/**
 * Converts over a WebSocket.
 *
 * @param url The service's URL
 */
export async function checkSocket(url: string): Promise<void> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/live`);
  const message = Promise.withResolvers<string>();
  socket.onmessage = ({ data }) => message.resolve(data);
  socket.onerror = (event) => message.reject(new Error(`no WebSocket: ${(event as ErrorEvent).message}`));
  socket.onopen = () => socket.send("5 km m");
  assertEquals(JSON.parse(await message.promise), { result: 5000 });
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
}

/** The service that receives conversion reports. */
export interface Audits extends AsyncDisposable {
  readonly url: string;
  /** Waits for the next entry. */
  next(): Promise<Record<string, unknown>>;
}

/** Starts the service. */
export function startAudits(): Audits {
  const entries: Record<string, unknown>[] = [];
  const waiting: ((entry: Record<string, unknown>) => void)[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const entry = await request.json();
    const resolve = waiting.shift();
    if (resolve === undefined) entries.push(entry);
    else resolve(entry);
    return new Response();
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    next() {
      const entry = entries.shift();
      return entry === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(entry);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

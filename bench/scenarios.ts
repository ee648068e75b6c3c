/** One request sent to every contestant. */
export interface Scenario {
  /** Name in the tables. */
  readonly name: string;
  /** Method of the request. */
  readonly method: "GET" | "POST";
  /** Path of the request. */
  readonly path: string;
  /** Body of the request, JSON. */
  readonly body?: string;
  /** Expected status. */
  readonly status: number;
  /** Expected body: a text, a value as JSON, or `null` if every contestant has its own page. */
  readonly answer: unknown;
}

/** The scenarios, the same for every contestant. */
export const SCENARIOS: readonly Scenario[] = [
  get("plain text", "/text", "Hello, World!"),
  get("JSON", "/json", { hello: "world" }),
  get("1 param", "/user/42", { id: "42" }),
  get("3 params", "/a/1/b/2/c/3", { a: "1", b: "2", c: "3" }),
  {
    name: "JSON body",
    method: "POST",
    path: "/echo",
    body: '{"name":"sluice","size":3}',
    status: 200,
    answer: { name: "sluice", size: 3 },
  },
  get("5 middleware", "/mw5", "done"),
  get("10 middleware", "/mw10", "done"),
  get("1 of 100 routes", "/r/99/7", { id: "7" }),
  { name: "404", method: "GET", path: "/missing", status: 404, answer: null },
];

function get(name: string, path: string, answer: unknown): Scenario {
  return { name, method: "GET", path, status: 200, answer };
}

/**
 * A scenario as a web request.
 *
 * @param scenario The scenario
 * @param origin Scheme and host
 */
export function requestOf(scenario: Scenario, origin: string): Request {
  const { method, path, body } = scenario;
  if (body === undefined) return new Request(origin + path, { method });
  // every request from a connection, or from another service, has a length
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  return new Request(origin + path, { method, body, headers });
}

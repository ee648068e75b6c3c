/** One request whose cost is counted. */
export interface Scenario {
  /** Name in `counts.json`. */
  readonly name: string;
  /** Request method. */
  readonly method: "GET" | "POST";
  /** Request path. */
  readonly path: string;
  /** Request body, JSON. */
  readonly body?: string;
}

export const SCENARIOS: readonly Scenario[] = [
  get("plain text", "/text"),
  get("JSON", "/json"),
  get("1 param", "/user/42"),
  get("3 params", "/a/1/b/2/c/3"),
  { name: "JSON body", method: "POST", path: "/echo", body: '{"name":"sluice","size":3}' },
  get("5 middleware", "/mw5"),
  get("10 middleware", "/mw10"),
  get("1 of 100 routes", "/r/99/7"),
  get("404", "/missing"),
];

function get(name: string, path: string): Scenario {
  return { name, method: "GET", path };
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
  // every request from a connection or a different service has a length
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  return new Request(origin + path, { method, body, headers });
}

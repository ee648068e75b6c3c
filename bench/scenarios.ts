/** One question asked of every contestant. */
export interface Scenario {
  /** Name in the table. */
  readonly name: string;
  /** Method and path of the request. */
  readonly method: "GET" | "POST";
  /** Path of the request. */
  readonly path: string;
  /** Body of the request. */
  readonly body?: string;
}

/** The scenarios, the same for everybody. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "plain text", method: "GET", path: "/text" },
  { name: "JSON", method: "GET", path: "/json" },
  { name: "1 param", method: "GET", path: "/user/42" },
  { name: "3 params", method: "GET", path: "/a/1/b/2/c/3" },
  { name: "JSON body", method: "POST", path: "/echo", body: '{"name":"sluice","size":3}' },
  { name: "5 middleware", method: "GET", path: "/mw5" },
  { name: "10 middleware", method: "GET", path: "/mw10" },
  { name: "404", method: "GET", path: "/missing" },
  { name: "last of 100 routes", method: "GET", path: "/r/99/7" },
];

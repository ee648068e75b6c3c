export const title = "Apollo Server answers GraphQL";
export const packages = {
  "@apollo/server": "5.5.1",
  "@as-integrations/express5": "1.1.2",
  graphql: "16.11.0",
  cors: "2.8.6",
};

const ask = (query, variables, headers = {}) => ({
  path: "/graphql",
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify({ query, variables }),
});

export const requests = [
  ask('{ hello(name: "a") }'),
  ask("query ($n: String) { hello(name: $n) }", { n: "b" }, { "X-From": "me" }),
  ask("{ fails }"),
  ask("{ nothing }"),
  ask("mutation { add(a: 1, b: 2) }"),
  ask("{"),
  { path: `/graphql?query=${encodeURIComponent("{hello}")}`, headers: { "apollo-require-preflight": "1" } },
  { path: `/graphql?query=${encodeURIComponent("{hello}")}` },
  { path: "/graphql", headers: { Accept: "text/html" }, ignore: ["content-length", "etag"] },
  {
    path: "/graphql",
    method: "OPTIONS",
    headers: { Origin: "http://one.example", "Access-Control-Request-Method": "POST" },
    differs: {
      parts: ["content-length"],
      why: "the `Content-Length: 0` that cors sets on a 204 is not sent, as RFC 9110 (section 8.6) demands",
    },
  },
  { path: "/graphql", method: "POST", headers: { "Content-Type": "application/json" }, body: "{" },
  { path: "/graphql", method: "POST", headers: { "Content-Type": "text/plain" }, body: "{}" },
  { path: "/graphql", method: "PUT", headers: { "Content-Type": "application/json" }, body: "{}" },
];

export const masks = [/nonce-?=?"?[\w+/=-]+/g];

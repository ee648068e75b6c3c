import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { warningsOf } from "../../../tests/support/warnings.ts";
import { clientKey, fetchLimit, type FetchLimitOptions, type HandlerOptions } from "../../mod.ts";

/** The info that Deno passes with a request. */
const peer = (hostname: string) => ({ remoteAddr: { transport: "tcp", hostname, port: 50_000 } });

function limited(options: FetchLimitOptions) {
  const limit = fetchLimit({ limit: 2, ...options });
  const serve = limit((_request: Request, _info: unknown) => new Response("in"));
  return async (address: string, headers: Record<string, string> = {}) =>
    (await serve(new Request("http://localhost/?user=bob", { headers }), peer(address))).status;
}

Deno.test("clientKey of a web request takes the address from what the platform tells", () => {
  const request = new Request("http://localhost/");
  assertEquals(clientKey(request, peer("2001:db8::1")), "2001:db8::/64");
  assertEquals(clientKey(request, peer("2001:db8:1:2::1"), { ipv6Subnet: 48 }), "2001:db8:1::/48");
  assertEquals(clientKey(request, { requestIP: () => ({ address: "203.0.113.7", port: 5 }) }), "203.0.113.7");
  assertEquals(clientKey({ ip: "2001:db8:1:2::1" }, { ipv6Subnet: 48 }), "2001:db8:1::/48");
  assertThrows(() => clientKey(request, peer("::1"), { ipv6Subnet: 0 }), RangeError, "ipv6Subnet");
  assertThrows(() => clientKey("::1" as never), TypeError, "use clientKey({ ip: address })");
});

Deno.test("functions in the options of fetchLimit get the platform's second argument", async () => {
  const told: unknown[] = [];
  const note = <T>(name: string, value: T) => (request: Request, info?: unknown): T => {
    told.push([name, request.url, info]);
    return value;
  };
  const ask = limited({
    keyGenerator: note("key", "customer"),
    cost: note("cost", 1),
    limit: note("max", 0),
    skip: note("skip", false),
    message: note("message", "no"),
    onLimitReached: note("reached", undefined),
  });
  assertEquals(await ask("192.0.2.1"), 429);
  const names = ["skip", "cost", "max", "key", "reached", "message"];
  assertEquals(told, names.map((name) => [name, "http://localhost/?user=bob", peer("192.0.2.1")]));
});

Deno.test("composite keys of fetchLimit count a /64 once with clientKey", async () => {
  const ask = limited({
    keyGenerator: (request, info) => `${clientKey(request, info)}:${new URL(request.url).searchParams.get("user")}`,
  });
  const statuses: number[] = [];
  for (let i = 1; i <= 4; i++) statuses.push(await ask(`2001:db8::${i}`));
  assertEquals(statuses, [200, 200, 429, 429]);
});

Deno.test("handler answers refused requests of fetchLimit, with the decision and the limiter's headers", async () => {
  const seen: HandlerOptions[] = [];
  const limit = fetchLimit({
    limit: 1,
    message: "no",
    statusCode: 503,
    handler: (request, options, info) => {
      seen.push(options);
      return Response.json({ path: new URL(request.url).pathname, info }, { status: 418, headers: { "x-mine": "1" } });
    },
  });
  const serve = limit(() => new Response("in"));
  const ask = () => serve(new Request("http://localhost/here"), peer("192.0.2.1"));
  assertEquals((await ask()).status, 200);
  const refused = await ask();
  assertEquals(refused.status, 418);
  assertEquals(await refused.json(), { path: "/here", info: peer("192.0.2.1") });
  assertEquals(
    ["x-mine", "cache-control", "x-ratelimit-remaining", "retry-after"].map((name) => refused.headers.get(name)),
    ["1", "no-store", "0", "60"],
  );
  assertEquals([seen.length, seen[0]!.statusCode, seen[0]!.message], [1, 503, "no"]);
  assertEquals([seen[0]!.decision.allowed, seen[0]!.decision.remaining], [false, 0]);
});

Deno.test("a handler of fetchLimit may cache its answer, and must return one", async () => {
  const cached = fetchLimit({
    limit: 0,
    handler: () => Promise.resolve(new Response("", { headers: { "cache-control": "max-age=5" } })),
  })(() => new Response("in"));
  const response = await cached(new Request("http://localhost/"), peer("192.0.2.1"));
  assertEquals(response.headers.get("cache-control"), "max-age=5");
  const broken = fetchLimit({ limit: 0, handler: () => undefined as never })(() => new Response("in"));
  const message = "fetchLimit: handler must return a Response, not undefined";
  await assertRejects(() => broken(new Request("http://localhost/"), peer("192.0.2.1")), TypeError, message);
  assertThrows(() => fetchLimit({ handler: 5 as never }), TypeError, "fetchLimit: option handler must be a function");
});

Deno.test("handlers behind fetchLimit see the decision about their request", async () => {
  const limit = fetchLimit({ limit: 3, skip: (request) => request.url.endsWith("/free") });
  const serve = limit((request) => new Response(String(limit.decisionOf(request)?.remaining)));
  const ask = async (path: string) =>
    await (await serve(new Request(`http://localhost${path}`), peer("192.0.2.1"))).text();
  assertEquals([await ask("/"), await ask("/free"), await ask("/")], ["2", "undefined", "1"]);
  assertEquals(limit.decisionOf(new Request("http://localhost/")), undefined);
});

// the warnings are printed once per process, so one test covers them all
Deno.test("fetchLimit warns once if a proxy stands in front, naming clientAddress, and of addresses in keys", async () => {
  const forwarded = { "x-forwarded-for": "203.0.113.5" };
  const clientAddress = (request: Request) => request.headers.get("x-forwarded-for") ?? undefined;
  const none = await warningsOf(async () => {
    await limited({ clientAddress })("192.0.2.1", forwarded);
    await limited({ validate: false })("192.0.2.1", forwarded);
    // as in Netlify's context: the header and the address agree
    await limited({})("203.0.113.5", forwarded);
    await limited({ keyGenerator: () => "customer:7" })("2001:db8::1", forwarded);
  });
  assertEquals(none, []);
  const told = await warningsOf(async () => {
    for (let times = 0; times < 2; times++) await limited({})("192.0.2.1", forwarded);
    const keyGenerator = (_request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) =>
      `${info.remoteAddr.hostname}:bob`;
    for (let times = 0; times < 2; times++) await limited({ keyGenerator })("2001:db8::1");
  });
  assertEquals(told.length, 2);
  assertStringIncludes(told[0]!, "fetchLimit: a request has an X-Forwarded-For header");
  assertStringIncludes(told[0]!, "give fetchLimit a clientAddress");
  assertStringIncludes(told[1]!, "use clientKey(req)");
});

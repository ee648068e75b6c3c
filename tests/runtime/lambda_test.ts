import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { asking, type LambdaFunction, recorded, skipLambda, startLambda } from "../support/lambda_function.ts";
import { until } from "../support/until.ts";
import { murmurTag } from "../support/murmur_tag.ts";

function onLambda(name: string, test: (fn: LambdaFunction) => Promise<void>, way = "buffered"): void {
  Deno.test(`on Lambda, ${name}`, { ignore: skipLambda }, async () => {
    await using fn = await startLambda(`tests/fixtures/lambda/${way}.ts`);
    await test(fn);
  });
}

/** Values that every gateway reports the same way. */
const COMMON = {
  method: "POST",
  cookies: { session: "abc", theme: "dark blue" },
  body: { a: [1, "ü"] },
  query: { a: ["1", "2"], b: "x y", flag: "" },
  headers: { twice: "one, two", length: "14" },
};

const GATEWAYS = {
  http_api: {
    originalUrl: "/seen/caf%C3%A9/100%25/who%231?a=1&b=x%20y&a=2&flag",
    hostname: "api1234567.execute-api.eu-central-1.amazonaws.com",
    protocol: "https",
    ip: "203.0.113.7",
    headers: { twice: "one,two", length: "14" },
  },
  http_api_v1: {
    originalUrl: "/seen/caf%C3%A9/100%25?a=1&a=2&b=x%20y&flag=",
    hostname: "api1234567.execute-api.eu-central-1.amazonaws.com",
    protocol: "https",
    ip: "203.0.113.7",
  },
  function_url: {
    originalUrl: "/seen/caf%C3%A9%2Fbar/../x?a=1&b=x%20y&a=2&flag",
    hostname: "abcdefghijklmnop.lambda-url.eu-central-1.on.aws",
    protocol: "https",
    ip: "2001:db8::7",
    headers: { twice: "one,two", length: "14" },
  },
  rest_api: {
    originalUrl: "/seen/caf%C3%A9%2Fbar?a=1&a=2&b=x%20y&flag=",
    hostname: "rest123456.execute-api.eu-central-1.amazonaws.com",
    protocol: "https",
    ip: "203.0.113.7",
  },
  balancer: {
    originalUrl: "/seen/caf%C3%A9%2Fbar?a=2&b=x%20y&flag=",
    hostname: "balancer-123578498.eu-central-1.elb.amazonaws.com",
    protocol: "http",
    ip: null,
    query: { a: "2", b: "x y", flag: "" },
    headers: { twice: "two", length: "14" },
  },
  balancer_multi: {
    originalUrl: "/seen/caf%C3%A9%2Fbar?a=1&a=2&b=x%20y&flag=",
    hostname: "balancer-123578498.eu-central-1.elb.amazonaws.com",
    protocol: "http",
    ip: null,
  },
};

const NAMES = Object.keys(GATEWAYS) as (keyof typeof GATEWAYS)[];

onLambda("every gateway's request arrives as it was sent, as far as the event says", async (fn) => {
  for (const name of NAMES) {
    const event = await recorded(name);
    const { body, isBase64Encoded } = await fn.invoke(event);
    const { invocation, ...seen } = JSON.parse(body);
    assertEquals(seen, { ...COMMON, ...GATEWAYS[name] }, name);
    assertMatch(invocation.id, /^invocation-\d+$/);
    assertEquals([isBase64Encoded, invocation.timed, invocation.gateway], [false, true, event]);
  }
});

onLambda("every gateway gets the answer in the shape it reads, and no field it does not know", async (fn) => {
  const type = "text/plain; charset=utf-8";
  const etag = murmurTag("grüße");
  const cookies = ["a=1; Path=/", "b=2; Path=/"];
  const single = { "content-type": type, etag, "x-custom": "ü" };
  const many = { "content-type": [type], etag: [etag], "x-custom": ["ü"], "set-cookie": cookies };
  const common = { statusCode: 201, body: "grüße", isBase64Encoded: false };
  const described = { ...common, statusDescription: "201 Created" };
  const responses = {
    http_api: { ...common, headers: single, cookies },
    http_api_v1: { ...common, multiValueHeaders: many },
    function_url: { ...common, headers: single, cookies },
    rest_api: { ...common, multiValueHeaders: many },
    // two names that differ in case, since each name holds only one value
    balancer: { ...described, headers: { ...single, "set-cookie": cookies[0]!, "Set-cookie": cookies[1]! } },
    balancer_multi: { ...described, multiValueHeaders: many },
  };
  for (const name of NAMES) assertEquals(await fn.invoke(await asking(name, "/answer")), responses[name], name);
});

onLambda("a body of valid UTF-8 is sent as text, with its byte order mark, and any other in base64", async (fn) => {
  const body = async (path: string) => {
    const { body, isBase64Encoded } = await fn.invoke(await asking("rest_api", path));
    return [body, isBase64Encoded];
  };
  assertEquals(await body("/bytes"), ["AP8=", true]);
  assertEquals(await body("/ascii"), ["plain", false]);
  assertEquals(await body("/mark"), ["\ufeffmarked", false]);
});

onLambda("HEAD, 204 and 304 have no body, and HEAD has the length", async (fn) => {
  const head = await fn.invoke(await asking("function_url", "/ascii", "HEAD"));
  assertEquals([head.statusCode, head.headers?.["content-length"], head.body], [200, "5", ""]);
  for (const status of [204, 304]) {
    const { statusCode, body, isBase64Encoded } = await fn.invoke(await asking("function_url", `/empty/${status}`));
    assertEquals([statusCode, body, isBase64Encoded], [status, "", false]);
  }
});

onLambda("a body on GET or HEAD is left out, with its length", async (fn) => {
  for (const method of ["GET", "HEAD", "get", "Head"]) {
    const { statusCode } = await fn.invoke({ ...await recorded("balancer"), httpMethod: method });
    assertEquals(statusCode, 200, method);
  }
});

onLambda("text in the path or the query that has no UTF-8 does not fail the invocation", async (fn) => {
  const path = { ...await asking("http_api_v1", "/seen"), path: "/seen/\ud800" };
  assertMatch(JSON.parse((await fn.invoke(path)).body).originalUrl, /^\/seen\/%EF%BF%BD/);
  const query = { ...await asking("http_api_v1", "/seen"), multiValueQueryStringParameters: { a: ["\udc00"] } };
  assertEquals(JSON.parse((await fn.invoke(query)).body).query, { a: "\ufffd" });
});

onLambda("methods and header values that a web request cannot have do not fail the invocation", async (fn) => {
  const trace = await fn.invoke(await asking("balancer", "/seen", "TRACE"));
  assertEquals(JSON.parse(trace.body).method, "TRACE");
  const event = await asking("balancer", "/seen");
  const headers = { ...event["headers"] as object, "x-twice": "日本" };
  const odd = JSON.parse((await fn.invoke({ ...event, headers })).body);
  // the bytes, as on every other runtime
  assertEquals(
    new TextDecoder().decode(Uint8Array.from(odd.headers.twice, (one: string) => one.charCodeAt(0))),
    "日本",
  );
});

onLambda("a decoded path is decoded once: an escape that the client encoded arrives encoded", async (fn) => {
  // the event's path once the gateway has decoded the client's path
  const decoding = [["http_api", "/id/..%2fx"], ["http_api_v1", "/id/..%2fx"]] as const;
  for (const [name, path] of decoding) {
    assertEquals((await fn.invoke(await asking(name, path))).body, "..%2fx", `${name}: /id/..%252fx`);
  }
  for (const name of ["function_url", "rest_api", "balancer", "balancer_multi"] as const) {
    assertEquals((await fn.invoke(await asking(name, "/id/..%252fx"))).body, "..%2fx", name);
  }
});

onLambda("a header or a method that HTTP cannot have is answered with 400", async (fn) => {
  const wrong = [["x-note", "a\0b"], ["x-note", "a\r\nx-admin: 1"], ["x note", "1"], ["", "1"]] as const;
  for (const name of NAMES) {
    const event = await asking(name, "/ascii");
    assertEquals((await fn.invoke(event)).statusCode, 200, name);
    for (const [header, value] of wrong) {
      const headers = { ...event["headers"] as object, [header]: value };
      const multi = event["multiValueHeaders"] && { ...event["multiValueHeaders"] as object, [header]: [value] };
      const { statusCode } = await fn.invoke({ ...event, headers, ...multi ? { multiValueHeaders: multi } : {} });
      assertEquals(statusCode, 400, `${name}: ${JSON.stringify([header, value])}`);
    }
    assertEquals((await fn.invoke(await asking(name, "/ascii", "GE T"))).statusCode, 400, name);
  }
  const cookies = { ...await asking("http_api", "/ascii"), cookies: ["a=1", "b=\0"] };
  assertEquals((await fn.invoke(cookies)).statusCode, 400);
});

onLambda(
  "a host that makes no URL is answered with 400, and a path that makes none does not become part of the host",
  async (fn) => {
    const event = await asking("balancer", "/seen");
    const seen = async (host: string, path: string) => {
      const headers = { ...event["headers"] as object, host };
      const { statusCode, body } = await fn.invoke({ ...event, headers, path, multiValueQueryStringParameters: null });
      return [statusCode, statusCode === 200 ? JSON.parse(body).hostname : body.match(/Cannot GET [^<"]*/)?.[0]];
    };
    for (const host of ["1.2.3.999", "xn--a", "[:::::]", "name:99999", "evil/seen?x#y"]) {
      assertEquals(await seen(host, "/seen"), [400, undefined]);
    }
    for (const path of ["*", "@elsewhere.example/seen", ":1/seen"]) {
      assertEquals(await seen("name", path), [404, `Cannot GET /${path}`]);
    }
  },
);

onLambda(
  "minimal events are accepted, and events that are no HTTP request are refused, naming their source",
  async (fn) => {
    const least = { requestContext: { elb: {} }, httpMethod: "GET", path: "/ascii" };
    assertEquals((await fn.invoke(least)).body, "plain");
    const leastV2 = { requestContext: { http: { method: "GET" } }, rawPath: "/ascii", cookies: null };
    assertEquals((await fn.invoke(leastV2)).body, "plain");
    const refusal = async (event: unknown) => (await assertRejects(() => fn.invoke(event), Error)).message;
    const [queue, schedule, socket, nothing] = await Promise.all([
      refusal(await recorded("queue")),
      refusal(await recorded("schedule")),
      refusal(await recorded("websocket_api")),
      refusal(null),
    ]);
    assertStringIncludes(
      queue,
      "toLambdaHandler handles HTTP events of API Gateway, function URLs and load balancers",
    );
    assertStringIncludes(queue, "not one from aws:sqs; use a separate handler for other events");
    assertStringIncludes(schedule, "not one from aws.events");
    assertStringIncludes(socket, "not one with the fields requestContext, body, isBase64Encoded");
    assertStringIncludes(nothing, "not null");
  },
);

onLambda("behind a load balancer with trust proxy 1, req.ip is the address that the balancer saw", async (fn) => {
  assertEquals(JSON.parse((await fn.invoke(await asking("balancer", "/behind"))).body), [
    "203.0.113.7",
    ["203.0.113.7"],
    "http",
  ]);
});

onLambda("files, views and the environment are available", async (fn) => {
  const body = async (path: string) => (await fn.invoke(await asking("function_url", path))).body;
  assertEquals(await body("/file"), "hello file\n");
  assertEquals(await body("/view"), "rendered Sluice");
  assertEquals(await body("/environment"), '["test","test"]');
});

onLambda("a WebSocket handshake is 501", async (fn) => {
  const event = await asking("balancer", "/socket");
  const handshake = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const { statusCode, body } = await fn.invoke({ ...event, headers: { ...event["headers"] as object, ...handshake } });
  assertEquals(statusCode, 501);
  assertStringIncludes(body, "has no WebSockets on");
});

onLambda("a body that fails midway fails the invocation, and the next one is answered", async (fn) => {
  await assertRejects(async () => await fn.invoke(await asking("function_url", "/breaks")), Error, "broken on purpose");
  assertEquals((await fn.invoke(await asking("function_url", "/ascii"))).body, "plain");
});

onLambda("a buffered answer is sent after its background work", async (fn) => {
  const ask = async (path: string) => (await fn.invoke(await asking("function_url", path))).body;
  const order: string[] = [];
  const answered = ask("/background").then((body) => order.push(body));
  // each wait takes as long as the response would without the wait
  for (let i = 0; i < 20; i++) assertEquals(await ask("/background/log"), "[]");
  order.push("released");
  await ask("/background/release");
  await answered;
  assertEquals([order, await ask("/background/log")], [["released", "answered"], '["first","second"]']);
});

onLambda("a streamed answer is complete before its background work, which is still done", async (fn) => {
  const ask = async (path: string) => await (await fetch(fn.origin + path)).text();
  assertEquals([await ask("/background"), await ask("/background/log")], ["answered", "[]"]);
  await ask("/background/release");
  await until(async () => await ask("/background/log") === '["first","second"]', "the work is done");
}, "streaming");

onLambda("a streamed answer has its head in the form the gateway reads, and its bytes unchanged", async (fn) => {
  const parts = async (name: string, path: string) => {
    const [head, body] = (await fn.payload(await asking(name, path))).split("\0".repeat(8));
    return { ...JSON.parse(head!), body };
  };
  const v2 = await parts("function_url", "/answer");
  assertEquals([v2.statusCode, v2.cookies.length, v2.headers["x-custom"], v2.body], [201, 2, "ü", "grüße"]);
  const v1 = await parts("rest_api", "/answer");
  assertEquals([v1.multiValueHeaders["set-cookie"].length, v1.headers, v1.cookies], [2, undefined, undefined]);
  const empty = await parts("function_url", "/empty/204");
  assertEquals([empty.statusCode, empty.body], [204, ""]);
}, "streaming");

onLambda("a streamed answer that fails is cut, and the next one is complete", async (fn) => {
  const response = await fetch(`${fn.origin}/breaks`);
  assertEquals(response.status, 200);
  await assertRejects(() => response.text());
  const refused = await assertRejects(async () => fn.payload(await recorded("queue")), Error);
  assert(refused.message !== "");
  assertEquals(await (await fetch(`${fn.origin}/ascii`)).text(), "plain");
}, "streaming");

/**
 * The generated clients' runtime: the requests it sends, and how it reads responses. Uses real applications, in
 * process.
 */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { sse } from "@sluice/middleware/sse";
import {
  type AnyResult,
  type ClientOptions,
  makeClient,
  ResponseError,
  type ServerSentEvent,
  unwrap,
  type Wire,
} from "@sluice/openapi/client";
import sluice, { type FrameworkApp, type Request as AppRequest } from "@sluice/sluice";

type Call = (path: string, call?: Record<string, unknown>) => Promise<AnyResult>;
type AnyClient = Record<"get" | "post" | "put" | "delete", Call>;

/** An application that echoes requests. */
function echo(): FrameworkApp {
  const app = sluice().set("env", "test").set("query parser", "extended");
  app.use(sluice.text({ type: () => true }));
  app.all("{*path}", (req: AppRequest, res) => {
    const { method, originalUrl: url, query, body } = req;
    res.json({ method, url, query, body, type: req.get("content-type"), cookie: req.get("cookie"), x: req.get("x-a") });
  });
  return app;
}

function clientOf(app: FrameworkApp, wire: Wire = {}, options: ClientOptions = {}): AnyClient {
  return makeClient<AnyClient>(wire, { fetch: (request) => app.fetch(request), ...options });
}

async function sent(path: string, call: Record<string, unknown>, wire: Wire = {}): Promise<Record<string, unknown>> {
  return (await clientOf(echo(), wire).post(path, call)).data as Record<string, unknown>;
}

Deno.test("parameters of paths are encoded, and those that span segments keep their slashes", async () => {
  const cases: [string, Record<string, unknown>, string][] = [
    ["/a/:id", { id: "x/y z?#%" }, "/a/x%2Fy%20z%3F%23%25"],
    ["/a/:id/b/:other", { id: 7, other: true }, "/a/7/b/true"],
    ["/files/*path", { path: "a b/c" }, "/files/a%20b/c"],
    ["/files/*path", { path: ["a/b", "c"] }, "/files/a%2Fb/c"],
    ["/report.:format", { format: "csv" }, "/report.csv"],
    ['/a/:"user-id"/b', { "user-id": 1 }, "/a/1/b"],
    ['/a/:"id"x', { id: 1 }, "/a/1x"],
    ["/a/\\:id", {}, "/a/:id"],
    ["/a/:ids", { ids: [1, "2,3"] }, "/a/1,2%2C3"],
  ];
  for (const [path, params, url] of cases) assertEquals((await sent(path, { params }))["url"], url, path);
});

Deno.test("parameters of paths have the style of the document", async () => {
  const styles: [string, string][] = [
    ["simple", "/1,2/a,1,b,2"],
    ["simple*", "/1,2/a=1,b=2"],
    ["label", "/.1,2/.a,1,b,2"],
    ["label*", "/.1.2/.a=1.b=2"],
    ["matrix", "/;l=1,2/;o=a,1,b,2"],
    ["matrix*", "/;l=1;l=2/;a=1;b=2"],
  ];
  for (const [style, url] of styles) {
    const wire = { "post /:l/:o": { styles: { "params.l": style, "params.o": style } } };
    const { url: came } = await sent("/:l/:o", { params: { l: [1, 2], o: { a: 1, b: 2 } } }, wire);
    assertEquals(came, url, style);
  }
});

Deno.test("a path is not sent without a parameter, nor to another path than it says", async () => {
  const client = clientOf(echo());
  for (const id of [undefined, null, "", ".", ".."]) {
    const error = await assertRejects(() => client.get("/a/:id", { params: { id } }), TypeError);
    assert(error.message.includes("/a/:id: parameter id must be a segment"), error.message);
  }
  await assertRejects(() => client.get("/files/*path", { params: { path: "a/../b" } }), TypeError);
});

Deno.test("queries have lists as repeated names and objects in brackets, or in the style of the document", async () => {
  const query = { a: [1, 2], b: { c: 1, d: { e: "x y" } }, none: undefined, nil: null, t: true };
  assertEquals((await sent("/", { query }))["query"], { a: ["1", "2"], b: { c: "1", d: { e: "x y" } }, t: "true" });
  const styles = { "query.a": "form", "query.b": "pipeDelimited", "query.c": "spaceDelimited", "query.d": "form" };
  const lists = { a: [1, ","], b: ["x", "y"], c: [1, 2], d: { e: 1, f: 2 } };
  const { url } = await sent("/s", { query: lists }, { "post /s": { styles } });
  assertEquals(url, "/s?a=1,%2C&b=x%7Cy&c=1%202&d=e,1,f,2");
  const objects = { b: { x: 1, y: null, z: "a b" }, c: { x: 1, y: undefined, z: 2 } };
  const written = await sent("/s", { query: objects }, { "post /s": { styles } });
  assertEquals(written["url"], "/s?b=x%7C1%7Cz%7Ca%20b&c=x%201%20z%202");
});

Deno.test("headers and cookies are sent, and those of a call replace the client's", async () => {
  const client = clientOf(echo(), {}, { headers: () => Promise.resolve({ "x-a": "common", cookie: "s=1" }) });
  const first = (await client.get("/")).data as Record<string, unknown>;
  assertEquals([first["x"], first["cookie"]], ["common", "s=1"]);
  const call = { headers: { "x-a": [1, "b"], "x-b": undefined }, cookies: { t: "a;b", u: 2 } };
  const second = (await client.get("/", call)).data as Record<string, unknown>;
  assertEquals([second["x"], second["cookie"]], ["1,b", "s=1; t=a%3Bb; u=2"]);
});

Deno.test("bodies are JSON, forms, URL-encoded, or as they are", async () => {
  const json = await sent("/", { json: { a: 1 } });
  assertEquals([json["type"], json["body"]], ["application/json", '{"a":1}']);
  const patch = await sent("/p", { json: {} }, { "post /p": { type: "application/merge-patch+json" } });
  assertEquals(patch["type"], "application/merge-patch+json");
  const encoded = await sent("/", { urlencoded: { a: [1, 2], b: "x&y" } });
  assertEquals([encoded["type"], encoded["body"]], [
    "application/x-www-form-urlencoded",
    "a=1&a=2&b=x%26y",
  ]);
  const csv = await sent("/c", { body: "a,b" }, { "post /c": { type: "text/csv" } });
  assertEquals([csv["type"], csv["body"]], ["text/csv", "a,b"]);
  const named = await sent("/c", { body: "a,b", contentType: "text/tab-separated-values" });
  assertEquals(named["type"], "text/tab-separated-values");
  const stream = new Blob(["piece by piece"]).stream();
  assertEquals((await sent("/", { body: stream, contentType: "text/plain" }))["body"], "piece by piece");
});

Deno.test("forms have files, lists and parts of JSON", async () => {
  const app = sluice();
  app.post("/", async (req, res) => {
    const form = await req.request!.formData();
    const fields = await Promise.all([...form].map(async ([name, value]) => {
      if (typeof value === "string") return [name, value];
      return [name, value.type, value.name, await value.text()];
    }));
    res.json(fields);
  });
  const file = new File(["x"], "a.png", { type: "image/png" });
  const form = { caption: "me", tags: ["a", "b"], file, meta: { n: 1 }, none: undefined };
  const { data } = await clientOf(app).post("/", { form });
  assertEquals(data, [
    ["caption", "me"],
    ["tags", "a"],
    ["tags", "b"],
    ["file", "image/png", "a.png", "x"],
    ["meta", "application/json", "blob", '{"n":1}'],
  ]);
});

Deno.test("responses are read by their media types", async () => {
  const app = sluice().set("env", "test");
  app.get("/json", (_req, res) => res.status(404).type("application/problem+json").send('{"title":"None"}'));
  app.get("/empty-json", (_req, res) => void res.type("json").end());
  app.get("/nothing", (_req, res) => res.sendStatus(204));
  app.get("/text", (_req, res) => res.type("text/csv").send("a,b"));
  app.get("/bytes", (_req, res) => res.type("application/octet-stream").send(new Uint8Array([1, 2])));
  app.get("/lines", (_req, res) => res.type("application/x-ndjson").send('{"n":1}\n\n{"n":2}'));
  app.get("/broken", (_req, res) => res.type("json").send("{"));
  const client = clientOf(app);
  const json = await client.get("/json");
  assertEquals([json.ok, json.status, json.data, json.headers.get("content-type")], [
    ...[false, 404, { title: "None" }, "application/problem+json; charset=utf-8"],
  ]);
  assertEquals((await client.get("/empty-json")).data, undefined);
  const nothing = await client.get("/nothing");
  assertEquals([nothing.ok, nothing.status, nothing.data], [true, 204, undefined]);
  assertEquals((await client.get("/text")).data, "a,b");
  const bytes = (await client.get("/bytes")).data as ReadableStream<Uint8Array>;
  assertEquals(await new Response(bytes).bytes(), new Uint8Array([1, 2]));
  assertEquals(await Array.fromAsync((await client.get("/lines")).data as AsyncIterable<unknown>), [{ n: 1 }, {
    n: 2,
  }]);
  await assertRejects(() => client.get("/broken"), SyntaxError);
});

Deno.test("events come one by one as a browser would have them, and leaving the loop ends the request", async () => {
  const closed = Promise.withResolvers<void>();
  const app = sluice();
  app.get("/events", (req, res) => {
    const events = sse(req, res);
    events.send({ event: "greeting", data: "a\nb", id: "7" });
    events.send({ data: "second" });
    events.closed.then(closed.resolve);
  });
  const { data } = await clientOf(app).get("/events");
  const seen: ServerSentEvent[] = [];
  for await (const event of data as AsyncIterable<ServerSentEvent>) if (seen.push(event) === 2) break;
  assertEquals(seen, [{ event: "greeting", data: "a\nb", id: "7" }, { event: "message", data: "second", id: "7" }]);
  await closed.promise;
});

Deno.test("events are parsed as HTML says, wherever the stream is cut", async () => {
  const text = "\ufeff: comment\r\nevent: a\r\ndata:no space\r\nretry: 10\r\nretry: x\r\nid: 1\r\n\r\ndata\n\n" +
    'event: dropped\n\nid: \0\ndata: {"n":1}\r\r\ndata: not ended';
  const expected = [
    { event: "a", data: "no space", id: "1", retry: 10 },
    { event: "message", data: "", id: "1", retry: 10 },
    { event: "message", data: '{"n":1}', id: "1", retry: 10 },
  ];
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.slice(i * size, (i + 1) * size),
    );
    const client = makeClient<AnyClient>({}, {
      fetch: () => new Response(ReadableStream.from(pieces), { headers: { "content-type": "text/event-stream" } }),
    });
    const { data } = await client.get("/");
    assertEquals(await Array.fromAsync(data as AsyncIterable<ServerSentEvent>), expected, `${size} bytes at a time`);
  }
});

Deno.test("events have JSON where the document says so", async () => {
  const app = sluice();
  app.get("/events", (_req, res) => res.type("text/event-stream").send('data: {"n":1}\n\n'));
  const { data } = await clientOf(app, { "get /events": { jsonEvents: true } }).get("/events");
  assertEquals(await Array.fromAsync(data as AsyncIterable<unknown>), [{ event: "message", data: { n: 1 }, id: "" }]);
});

Deno.test("a signal aborts a call, and whatever else fetch takes is passed on", async () => {
  const app = sluice();
  const arrived = Promise.withResolvers<void>();
  app.get("/slow", () => arrived.resolve());
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  try {
    const client = makeClient<AnyClient>({}, { baseUrl: `http://127.0.0.1:${server.port}` });
    const controller = new AbortController();
    const call = client.get("/slow", { signal: controller.signal });
    await arrived.promise;
    controller.abort();
    await assertRejects(() => call, DOMException, "aborted");
  } finally {
    await app.close({ timeoutMs: 0 });
  }
  const requests: Request[] = [];
  const client = makeClient<AnyClient>({}, {
    baseUrl: new URL("https://api.example/v1/"),
    fetch: (request) => (requests.push(request), new Response()),
  });
  await client.get("/notes", { redirect: "manual", query: { a: 1 } });
  assertEquals([requests[0]!.url, requests[0]!.redirect], ["https://api.example/v1/notes?a=1", "manual"]);
});

Deno.test("a client without an address says what it needs", () => {
  const error = assertThrows(() => makeClient({}), TypeError);
  assert(error.message.startsWith("createClient: outside of a browser it needs baseUrl"), error.message);
});

Deno.test("unwrap returns the data of a success, and throws the response otherwise", async () => {
  const app = sluice().set("env", "test");
  app.get("/:status", (req, res) => res.status(Number(req.params.status)).json({ status: req.params.status }));
  const client = clientOf(app);
  assertEquals(await unwrap(client.get("/:status", { params: { status: 201 } })), { status: "201" });
  const error = await assertRejects(() => unwrap(client.get("/:status", { params: { status: 409 } })), ResponseError);
  assertEquals([error.status, error.data, error.name], [409, { status: "409" }, "ResponseError"]);
});

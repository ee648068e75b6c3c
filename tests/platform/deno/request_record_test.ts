/**
 * When Deno's internal request record is used, and when it is not. tests/performance checks that requests over
 * connections do use it.
 */
import { assertEquals } from "@std/assert";
import sluice from "@sluice/sluice";
import { opened, readUntil } from "../../support/raw_client.ts";

type Module = typeof import("../../../src/platform/deno/request_record.ts");

let instances = 0;

/** The module remembers facts from the first request, so each test loads its own copy. */
async function fresh(): Promise<Module> {
  return await import(`../../../src/platform/deno/request_record.ts?instance=${instances++}`);
}

/** Makes a request with the given record and headers. */
type MakeRequest = (record: Record<string, string>, headers: Record<string, string>, more?: object) => Request;

/** Makes requests as from one runtime, which share one symbol. */
function requests(key: symbol = Symbol("request")): MakeRequest {
  return (record, headers, more = {}) => {
    const header = (name: string) => record[name.toLowerCase()] ?? null;
    const inner = Object.defineProperties(
      { header, headerList: Object.entries(record) },
      Object.getOwnPropertyDescriptors(more),
    );
    return { [key]: inner, headers: new Headers(headers) } as unknown as Request;
  };
}

function all({ visitHeaders }: Module, of: Request): string[] {
  const seen: string[] = [];
  visitHeaders(of, (value, name) => seen.push(`${name}: ${value}`));
  return seen;
}

Deno.test("a record that agrees with the first request is used from then on", async () => {
  const module = await fresh();
  const make = requests();
  assertEquals(module.readHeader(make({ host: "a" }, { host: "a" }), "Host"), "a");
  const later = make({ host: "b", x: "1" }, { host: "not asked" });
  assertEquals(module.readHeader(later, "host"), "b");
  assertEquals(all(module, later), ["host: b", "x: 1"]);
});

Deno.test("a record that disagrees with the first request is never used again", async () => {
  const module = await fresh();
  const make = requests();
  assertEquals(module.readHeader(make({ host: "b" }, { host: "a" }), "x"), null);
  const later = make({ host: "b" }, { host: "asked" }, { consumeTextBody: () => "text" });
  assertEquals(module.readHeader(later, "host"), "asked");
  assertEquals(all(module, later), ["host: asked"]);
  assertEquals(module.arrivedText(later), null);
});

// tests/package/deno_version_test.ts checks that this is the tests' version
Deno.test("the tested version is trusted without a comparison, which would touch the first request's headers", async () => {
  const module = await fresh();
  module.trustRecordsOf(module.TESTED_VERSION);
  assertEquals(module.readHeader(requests()({ host: "b" }, { host: "not asked" }), "host"), "b");
});

Deno.test("any other version has to agree with its first request", async () => {
  const module = await fresh();
  module.trustRecordsOf(`${module.TESTED_VERSION}+1`);
  assertEquals(module.readHeader(requests()({ host: "b" }, { host: "a" }), "host"), "a");
});

for (
  const [what, headerList] of [
    ["is missing", null],
    ["disagrees", [["host", "b"]]],
    ["has an extra header", [["host", "a"], ["x", "1"]]],
  ] as const
) {
  Deno.test(`a record whose list ${what} is used for single headers only`, async () => {
    const module = await fresh();
    const make = requests();
    assertEquals(all(module, make({ host: "a" }, { host: "a" }, { headerList })), ["host: a"]);
    const later = make({ host: "b" }, { host: "asked" });
    assertEquals(all(module, later), ["host: asked"]);
    assertEquals(module.readHeader(later, "host"), "b");
  });
}

Deno.test("a record of another shape is not used", async () => {
  const module = await fresh();
  const odd = requests()({ host: "b" }, { host: "a" }, { header: "no function" });
  assertEquals(module.readHeader(odd, "host"), "a");
  assertEquals(all(module, odd), ["host: a"]);
  assertEquals(module.arrivedText(odd), null);
});

Deno.test("a request that the program made has no record and is read itself", async () => {
  const module = await fresh();
  const made = new Request("http://localhost/", { headers: { x: "1" } });
  assertEquals(module.readHeader(made, "X"), "1");
  assertEquals(all(module, made), ["x: 1"]);
  assertEquals(module.arrivedText(made), null);
});

const gone = {
  header: taken,
  get headerList() {
    return taken();
  },
};

function taken(): never {
  throw new TypeError("Request closed");
}

for (
  const [what, headers, more] of [
    ["a request without headers", {}, {}],
    ["a request that is already answered", { host: "x" }, gone],
  ] as const
) {
  Deno.test(`${what} decides nothing`, async () => {
    const module = await fresh();
    const make = requests();
    assertEquals(module.readHeader(make({}, headers, more), "y"), null);
    assertEquals(module.readHeader(make({ host: "1" }, { host: "1" }), "host"), "1");
    assertEquals(module.readHeader(make({ host: "2" }, { host: "not asked" }), "host"), "2");
  });
}

Deno.test("an arrived body is text without its byte order mark; anything else is null", async () => {
  const module = await fresh();
  const make = requests();
  const body = (text: unknown) =>
    module.arrivedText(make({ host: "a" }, { host: "a" }, { consumeTextBody: () => text }));
  assertEquals([body("\ufeffa"), body(""), body(null), body(new Uint8Array(1))], ["a", "", null, null]);
});

Deno.test("req.rawHeaders has names as the client wrote them and every value, headersDistinct lists values, headers joins them", async () => {
  const app = sluice();
  app.get("/", (req, res) => res.json([req.rawHeaders, req.headers, req.get("x-Two"), req.headersDistinct]));
  await using server = Deno.serve({ port: 0, onListen() {} }, app.fetch);
  using connection = await opened(
    server.addr,
    "GET / HTTP/1.1\r\nHost: x\r\nX-Two: 1\r\nX-Two: 2\r\nconstructor: y\r\n\r\n",
  );
  const response = await readUntil(connection, "]}]");
  const [raw, ...joined] = JSON.parse(response.slice(response.indexOf("\r\n\r\n")));
  assertEquals(raw.length, 8);
  const pairs = [0, 2, 4, 6].map((at) => `${raw[at]}: ${raw[at + 1]}`);
  assertEquals(pairs.sort(), ["Host: x", "X-Two: 1", "X-Two: 2", "constructor: y"]);
  assertEquals(joined, [{ host: "x", "x-two": "1, 2", constructor: "y" }, "1, 2", {
    host: ["x"],
    "x-two": ["1", "2"],
    constructor: ["y"],
  }]);
});

Deno.test("a request derived from the server's, with other headers or another body, has those", async () => {
  const app = sluice();
  app.use(sluice.json());
  app.post("/", (req, res) => res.json([req.get("x"), req.headers.x, req.body]));
  const made: ((request: Request) => Request)[] = [
    (request) => request,
    (request) => new Request(request, { headers: { ...Object.fromEntries(request.headers), x: "2" } }),
    (request) => request.clone(),
    (request) => new Request(request, { body: '{"b":2}' }),
  ];
  for (const make of made) {
    await using server = Deno.serve({ port: 0, onListen() {} }, (request, info) => app.fetch(make(request), info));
    const init = { method: "POST", headers: { x: "1", "content-type": "application/json" }, body: '{"a":1}' };
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, init);
    const x = make === made[1] ? "2" : "1";
    assertEquals(await response.json(), [x, x, make === made[3] ? { b: 2 } : { a: 1 }]);
  }
});

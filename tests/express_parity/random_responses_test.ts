/**
 * Random responses, on Sluice and on Express. On both frameworks, a sequence of response methods must write and return
 * the same values, and the client's conditional headers must have the same effect.
 */
import { assert, assertEquals } from "@std/assert";
import { type Any, type Ask, askBoth } from "../support/sluice_and_express.ts";
import { oneOf, type Pick, random } from "../support/random.ts";

/** A response method and its arguments. */
type Call = readonly [method: string, ...given: unknown[]];

const DATE = "Thu, 01 Jan 1970 00:00:00 GMT";
const STEPS: readonly Call[] = [
  ...[200, 201, 204, 205, 304, 404, 503, "200", 99, 200.5, null].map((code): Call => ["status", code]),
  ...["html", "json", ".txt", "text/x-own", "application/vnd.api+json", "none", "md"].map((
    type,
  ): Call => ["type", type]),
  ...["text/plain", "text/html; charset=latin1", "image/png", "json"].map((
    type,
  ): Call => ["set", "Content-Type", type]),
  ...['"a"', 'W/"a"'].map((tag): Call => ["set", "ETag", tag]),
  ["setHeader", "Last-Modified", DATE],
  ["set", { "Cache-Control": "no-store", "Link": "<set>" }],
  ["set", "X-List", ["a", "b"]],
  ["setHeader", "Link", 7],
  ["append", "Link", "<more>"],
  ["append", "Set-Cookie", ["one=1", "two=2"]],
  ["append", "Vary", "Cookie"],
  ["appendHeader", "X-List", ["c", "d"]],
  ...["Link", "ETag", "Content-Type", "set-cookie"].map((name): Call => ["removeHeader", name]),
  ...["Accept", "*", ["Origin", "accept"], "A, B"].map((field): Call => ["vary", field]),
  ["links", { next: "/2", last: ["/5", "/6"] }],
  ...["/x", "back", "http://e.com/ü?q=ü", "/%20 %zz", "\\evil", "//e.com"].map((url): Call => ["location", url]),
  ...[undefined, {}, { maxAge: "x" }, { domain: ".e.com", path: "/p", httpOnly: true }, { sameSite: "Strict" }]
    .map((options): Call => ["cookie", "name", "a b;ü", options]),
  ...[{ priority: "HIGH" }, { expires: new Date(0), secure: true }, { expires: "x" }, { encode: encodeURI }, {
    signed: true,
  }]
    .map((options): Call => ["cookie", "name", { a: 1 }, options]),
  ["cookie", "na me", "value"],
  ["clearCookie", "name", { path: "/q", maxAge: 5, sameSite: true }],
  ...["ü.html", "/p/a.png", 'we"ird;.pdf', "%41.txt", "€.csv"].map((name): Call => ["attachment", name]),
  ...["Content-Type", "Link", "x-list", "set-cookie", "vary"].map((name): Call => ["get", name]),
];
const ENDS: readonly Call[] = [
  ...["", "text", "<p>ü</p>", 0, true, null, undefined, [1, "x"], new Date(0), new String("boxed"), NaN].flatMap((
    body,
  ): Call[] => [["send", body], ["json", body], ["jsonp", body]]),
  ...["\u2028", { a: { b: "<ü>&" } }, "x".repeat(3000)].flatMap((body): Call[] => [["json", body], ["jsonp", body]]),
  ["send", new Uint8Array([104, 105])],
  ...[200, 204, 205, 304, 404, 418].map((code): Call => ["sendStatus", code]),
  ["redirect", "/ü ?x=ü"],
  ["redirect", 301, "http://e.com/<a>&\"'"],
  ["redirect", 307, "//e.com/\\p"],
  ...[["text/plain", "html", "json"], ["json", "default"], ["html"], ["application/xml", "text/html"], []].map((
    types,
  ): Call => ["format", types]),
  ["end", "6869", "hex"],
];
const SETTINGS: readonly (readonly [string, unknown])[] = [
  ...[2, "--"].map((spaces) => ["json spaces", spaces] as const),
  ["json escape", true],
  ["json replacer", ["a"]],
  ...[false, "strong", "weak"].map((tag) => ["etag", tag] as const),
  ["jsonp callback name", "cb"],
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  "accept": [
    "text/html",
    "text/plain",
    "image/*",
    "text/*;q=.5, text/html;q=0",
    "application/xml;q=0.9,*/*;q=0.1",
    "x",
  ],
  "if-none-match": ['"a"', 'W/"a"', '"b", "a"', "x"],
  "if-modified-since": ["Wed, 21 Oct 2015 07:28:00 GMT", DATE, "x"],
  "cache-control": ["no-cache", "max-age=0"],
};
const PATHS = ["/", "/?callback=f", "/?callback[]=a&callback[]=b", "/?cb=x.y[0]", "/?callback=a(b)<c>", "/?callback="];

interface Program {
  readonly settings: readonly (readonly [string, unknown])[];
  readonly calls: readonly Call[];
}

function randomProgram(pick: Pick): Program {
  return {
    settings: Array.from({ length: pick(2) }, () => oneOf(pick, SETTINGS)),
    calls: [...Array.from({ length: pick(6) }, () => oneOf(pick, STEPS)), oneOf(pick, ENDS)],
  };
}

function randomAsk(pick: Pick, program: number): Ask {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(HEADERS)) if (pick(3) === 0) headers[name] = oneOf(pick, values);
  const method = oneOf(pick, ["GET", "GET", "GET", "HEAD", "POST", "DELETE"]);
  return { path: `/${program}${oneOf(pick, PATHS)}`, init: { method, headers } };
}

function call(res: Any, [method, ...given]: Call, log: Any[]): void {
  try {
    const back = method === "format"
      ? res.format(Object.fromEntries((given[0] as string[]).map((type) => [type, () => res.send(`as ${type}`)])))
      : res[method](...given);
    log.push([method, back === res ? "the response" : back ?? null, res.statusCode, res.headersSent]);
  } catch (error) {
    log.push([method, (error as Error).constructor.name, (error as { code?: string }).code ?? null]);
  }
}

Deno.test("whatever response methods are called, the client sees the same as with Express", async () => {
  const pick = random(7);
  const programs = Array.from({ length: 120 }, () => randomProgram(pick));
  const asks = programs.flatMap((_, i) => Array.from({ length: 4 }, () => randomAsk(pick, i)));
  const logs: Any[][] = [];
  const [ours, theirs] = await askBoth((app, lib) => {
    const log: Any[] = [];
    logs.push(log);
    for (const [i, { settings, calls }] of programs.entries()) {
      const inner = lib();
      inner.set("env", "test").disable("x-powered-by");
      for (const [name, value] of settings) inner.set(name, value);
      inner.use((_req: Any, res: Any) => {
        for (const one of calls) call(res, one, log);
        if (!res.headersSent) res.end("nothing was sent");
      });
      inner.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(error.status).end(error.message));
      app.use(`/${i}`, inner);
    }
  }, asks);
  for (const [i, ask] of asks.entries()) {
    const { settings, calls } = programs[Math.floor(i / 4)]!;
    assertEquals(ours[i], theirs[i], Deno.inspect({ settings, calls, ask }, { depth: 6 }));
  }
  assertEquals(logs[0], logs[1]);
  assert(theirs.filter(({ status }) => status === 304).length > 20);
});

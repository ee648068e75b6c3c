import { assert, assertEquals, assertThrows } from "@std/assert";
import { Limiter } from "@sluice/rate-limit";
import { log } from "@sluice/middleware/log";
import { requestId } from "@sluice/middleware/request-id";
import { session } from "@sluice/middleware/session";
import { upload } from "@sluice/middleware/upload";
import { DOORS, type Given, INFO, quiet } from "./doors.ts";

for (const [name, door] of Object.entries(DOORS)) {
  Deno.test(`${name} refuses options that it does not know, and names all of them`, () => {
    const { message } = assertThrows(() => door({ nonsense: 1, rubbish: 2 }), TypeError);
    assert(message.includes("there is no option nonsense; "), message);
    assert(message.includes("there is no option rubbish; "), message);
  });
}

/** Names that users of the Express packages may guess, and the names that the error suggests. */
const GUESSES: readonly (readonly [door: string, given: object, advice: string])[] = [
  ["rateLimit of the core", { handler() {} }, "@sluice/rate-limit has it"],
  ["Limiter", { points: 5, duration: 1 }, "use limit; there is no option duration; use windowMs, in ms"],
  ["upload", { fileFilter() {} }, 'use types: ["image/*"]'],
  ["metrics", { path: "/metrics" }, 'app.use(measure).get("/metrics", measure.page)'],
  ["health", { ready() {} }, "use checks: { name: () => … }"],
  ["health", { timeout: 5 }, "did you mean timeoutMs?"],
  ["sse", { keepAlive: 5 }, "use heartbeatMs"],
  ["openapi, info", { info: INFO }, "write openapi(app, {"],
  ["shedLoad", { maxEventLoopDelay: 5 }, "did you mean maxEventLoopDelayMs?"],
];

for (const [name, given, advice] of GUESSES) {
  Deno.test(`${name} says what to write instead of ${Object.keys(given)[0]}`, () => {
    const { message } = assertThrows(() => DOORS[name]!(given), TypeError);
    assert(message.includes(advice), message);
  });
}

Deno.test("methods that other limiters have say what to write", () => {
  const limiter = new Limiter() as Given;
  assertThrows(() => limiter.reserve("key"), TypeError, "write limiter.consume(key, most)");
  assertEquals(Object.keys(Object.getPrototypeOf(limiter)), []);
});

Deno.test("consume takes units as a number, as rate-limiter-flexible does", async () => {
  const limiter = new Limiter({ limit: 5, windowMs: 1000 });
  assertEquals((await limiter.consume("key", 4)).remaining, 1);
  const { allowed, retryAfterMs } = await limiter.consume("key", 2);
  assertEquals([allowed, retryAfterMs > 0], [false, true]);
});

Deno.test("the former names of a decision go on working: check and retryMs", async () => {
  const limiter = new Limiter({ limit: 5, windowMs: 1000 });
  assertEquals((await limiter.check("key", { cost: 4 })).remaining, 1);
  const refused = await limiter.check("key", { cost: 2 });
  assertEquals([refused.allowed, refused.retryMs], [false, refused.retryAfterMs]);
});

for (const name of ["rateLimit of the core", "Limiter", "rateLimit of @sluice/rate-limit", "fetchLimit"]) {
  Deno.test(`${name} takes max for limit, and not two numbers`, () => {
    DOORS[name]!({ max: 5 });
    DOORS[name]!({ max: 5, limit: 5 });
    const { message } = assertThrows(() => DOORS[name]!({ max: 5, limit: 6 }), TypeError);
    assert(message.endsWith("options limit and max are the same; set only limit"), message);
  });
}

Deno.test("the former names of options of @sluice/middleware go on working", async () => {
  const lines: unknown[] = [];
  const folder = await Deno.makeTempDir();
  const app = quiet();
  app.use(log({ format: "json", sink: (line: unknown) => lines.push(line) } as Given));
  app.use(requestId({ header: "x-trace", generate: () => "made" } as Given));
  app.use(session({ secret: "s".repeat(32), ttlMs: 60_000, cookie: { httpOnly: true } } as Given));
  app.post("/", upload({ to: { folder, keep: false } } as Given), (req: Given, res: Given) => {
    req.session.n = 1;
    res.json([req.file.size, req.file.path.startsWith(folder)]);
  });
  const body = new FormData();
  body.set("file", new File(["abc"], "a.txt"));
  const response = await app.inject("/", { method: "POST", body });
  assertEquals(await response.json(), [3, true]);
  assertEquals(response.headers.get("x-trace"), "made");
  assert(response.headers.getSetCookie()[0]!.includes("Max-Age=60;"), response.headers.getSetCookie().join());
  await app.close();
  assertEquals([lines.length, Array.from(Deno.readDirSync(folder)).length], [1, 0]);
  await Deno.remove(folder);
});

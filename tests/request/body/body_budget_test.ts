/** Room for the bodies that a process reads at the same time. It is asked for through requests only. */
import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { ask, quietApp } from "../../support/app.ts";
import { oneOf, random } from "../../support/random.ts";

const BUDGET = 400_000;
const FORM = "application/x-www-form-urlencoded";

function reading(): FrameworkApp {
  const app = quietApp().set("body budget", BUDGET).set("body limit", { text: Infinity, formData: BUDGET });
  app.post("/text", async (req, res) => res.json((await req.text()).length));
  app.post("/json", async (req, res) => res.json(await req.json()));
  app.post("/form", async (req, res) => res.json([...await req.formData()].length));
  app.post("/parsed", sluice.json({ limit: "200kb" }), (_req, res) => res.json("parsed"));
  app.post("/checked", sluice.raw({ type: "*/*", limit: Infinity, verify: refuse }), (_req, res) => res.json("raw"));
  return app;
}

function refuse(): void {
  throw new Error("not verified");
}

/** A body whose pieces a test sends. */
function body(): { stream: ReadableStream<Uint8Array>; send(length: number): void; end(): void; fail(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  const ifOpen = (act: () => void) => {
    try {
      act();
    } catch {
      // it was cancelled
    }
  };
  return {
    stream,
    send: (length) => ifOpen(() => controller.enqueue(new Uint8Array(length).fill(32))),
    end: () => ifOpen(() => controller.close()),
    fail: () => ifOpen(() => controller.error(new Error("cut off"))),
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

// only if nothing else is held
async function assertAllRoom(app: FrameworkApp, message: string): Promise<void> {
  const whole = await ask(app, "/text", { method: "POST", body: ReadableStream.from([new Uint8Array(BUDGET)]) });
  assertEquals([whole.status, await whole.json()], [200, BUDGET], message);
  const more = await ask(app, "/text", { method: "POST", body: ReadableStream.from([new Uint8Array(BUDGET + 1)]) });
  assertEquals(more.status, 503, message);
  await more.body?.cancel();
}

Deno.test("bodies that are read at the same time share the budget, and what has been parsed is given back", async () => {
  const app = reading();
  const first = body();
  const answer = ask(app, "/text", { method: "POST", body: first.stream });
  first.send(300_000);
  await turn();
  const other = () => ask(app, "/text", { method: "POST", body: ReadableStream.from([new Uint8Array(200_000)]) });
  const refused = await other();
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  await refused.body?.cancel();
  first.end();
  assertEquals(await (await answer).json(), 300_000);
  assertEquals((await other()).status, 200);
  await assertAllRoom(app, "at the end");
});

Deno.test("clients that announce bodies and send none do not keep others out", async () => {
  const app = reading();
  const held = Array.from({ length: 100 }, () => {
    const { stream, fail } = body();
    const headers = { "content-length": "100000" };
    return { answer: ask(app, "/text", { method: "POST", body: stream, headers }), fail };
  });
  await turn();
  const sent = { method: "POST", body: new Uint8Array(200_000), headers: { "content-length": "200000" } };
  assertEquals((await ask(app, "/text", sent)).status, 200);
  held.forEach(({ fail }) => fail());
  for (const { answer } of held) assertEquals((await answer).status, 400);
  await assertAllRoom(app, "at the end");
});

Deno.test("room is given back however the reading of a body ends", async () => {
  const app = reading();
  const next = random(7);
  const pick = <T>(list: readonly T[]): T => oneOf(next, list);
  for (let round = 0; round < 40; round++) {
    const open = Array.from({ length: 12 }, () => {
      const { stream, send, end, fail } = body();
      const leaving = new AbortController();
      const announced = pick([undefined, 10, 5000, 100_000, 300_000]);
      const headers: Record<string, string> = { "content-type": pick(["application/json", FORM]) };
      if (announced !== undefined) headers["content-length"] = String(announced);
      if (next(10) === 0) headers["content-encoding"] = "gzip";
      const path = pick(["/text", "/json", "/form", "/parsed", "/checked"]);
      const init = { method: "POST", body: stream, headers, signal: leaving.signal };
      const answer = ask(app, path, init).then((response) => response.body?.cancel());
      return { answer, send, end, fail, leave: () => leaving.abort(new Error("left")) };
    });
    for (let step = 0; step < 40; step++) {
      const one = pick(open);
      const act = pick([() => one.send(pick([1, 700, 40_000, 200_000])), one.end, one.fail, one.leave]);
      if (next(2) === 0) one.send(pick([1, 700, 40_000]));
      else act();
      if (next(3) === 0) await turn();
    }
    for (const { fail } of open) fail();
    await Promise.all(open.map(({ answer }) => answer));
    await assertAllRoom(app, `round ${round}`);
  }
});

Deno.test("what a compressed body inflates to takes room until it has been parsed", async () => {
  const app = reading();
  const headers = { "content-encoding": "gzip", "content-type": "x/y" };
  const packed = new Uint8Array(gzipSync(new Uint8Array(BUDGET + 1)));
  const response = await ask(app, "/checked", { method: "POST", body: packed, headers });
  assertEquals(response.status, 503);
  await response.body?.cancel();
  await assertAllRoom(app, "at the end");
});

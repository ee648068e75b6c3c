/** The process-wide budget for bodies being read, tested only through requests. */
import { AsyncLocalStorage } from "node:async_hooks";
import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import sluice, { type ErrorRequestHandler, type FrameworkApp } from "@sluice/sluice";
import { ask, quietApp } from "../../support/app.ts";
import { withOwnClock } from "../../support/own_clock.ts";
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

/** A body whose chunks come from the test. */
function body(): { stream: ReadableStream<Uint8Array>; send(length: number): void; end(): void; fail(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  const ifOpen = (act: () => void) => {
    try {
      act();
    } catch {
      // it was canceled
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

// succeeds only if no other bytes are held
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

/** A body that is being received, with its response. */
interface Receiving extends ReturnType<typeof body> {
  readonly response: Promise<Response>;
}

function receiving(app: FrameworkApp, ...sent: number[]): Receiving {
  const one = body();
  const response = Promise.resolve(ask(app, "/text", { method: "POST", body: one.stream }));
  sent.forEach(one.send);
  return { ...one, response };
}

async function told({ response }: Receiving): Promise<unknown[]> {
  const { status, headers, body } = await response;
  await body?.cancel();
  return [status, headers.get("connection")];
}

Deno.test("when there is no more room, the bodies that came slowest lately are ended with 408", async () => {
  await withOwnClock(async (setTo) => {
    const app = reading();
    // everything but the last bytes at once, then almost nothing
    const trickling = receiving(app, 200_000);
    const steady = receiving(app, 50_000);
    const silent = receiving(app, 100_000);
    await turn();
    for (let second = 1; second <= 6; second++) {
      setTo(second * 1000);
      steady.send(1000);
      if (second % 2 === 0) trickling.send(1);
      await turn();
    }
    const newcomer = receiving(app, 60_000);
    await turn();
    newcomer.end();
    assertEquals(await (await newcomer.response).json(), 60_000);
    assertEquals(await told(silent), [408, "close"], "nothing came of it lately");
    const second = receiving(app, 150_000);
    await turn();
    assertEquals(await told(trickling), [408, "close"], "the next one to go");
    for (const one of [steady, second]) one.end();
    assertEquals([(await steady.response).status, (await second.response).status], [200, 200]);
    await (await steady.response).body?.cancel();
    await (await second.response).body?.cancel();
    await assertAllRoom(app, "at the end");
  });
});

Deno.test("a body that has just begun is not ended for others, and the slowest one makes no room for itself", async () => {
  await withOwnClock(async (setTo) => {
    const app = reading();
    const young = receiving(app, 200_000);
    await turn();
    setTo(1999);
    assertEquals(await told(receiving(app, 250_000)), [503, null]);
    setTo(60_000);
    const younger = receiving(app, 190_000);
    await turn();
    young.send(50_000);
    assertEquals(await told(young), [408, "close"]);
    younger.end();
    assertEquals((await told(younger))[0], 200);
    await assertAllRoom(app, "at the end");
  });
});

Deno.test("a body that keeps coming goes on at the cost of those that have just begun", async () => {
  await withOwnClock(async (setTo) => {
    const app = reading();
    const steady = receiving(app, 1000);
    for (let step = 1; step <= 30; step++) {
      await turn();
      setTo(step * 100);
      steady.send(7000);
    }
    const burst = receiving(app, 130_000);
    await turn();
    for (let i = 0; i < 10; i++) steady.send(7000);
    assertEquals((await told(burst))[0], 408);
    steady.end();
    assertEquals(await (await steady.response).json(), 281_000);
    await assertAllRoom(app, "at the end");
  });
});

Deno.test("a small body finds room that large ones leave", async () => {
  await withOwnClock(async () => {
    const app = quietApp().set("body budget", 800_000).set("body limit", { text: Infinity });
    app.post("/text", async (req, res) => res.json((await req.text()).length));
    const large = [receiving(app, 350_000), receiving(app, 350_000)];
    await turn();
    assertEquals(await told(receiving(app, 1000, 299_000)), [503, null]);
    const small = receiving(app, 90_000);
    await turn();
    for (const one of [small, ...large]) one.end();
    for (const one of [small, ...large]) assertEquals((await told(one))[0], 200);
  });
});

Deno.test("a body is ended in the asynchronous context of its own request", async () => {
  await withOwnClock(async (setTo) => {
    const app = reading();
    const tenants = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    app.use((req, _res, next) => tenants.run(req.get("x-tenant")!, next));
    app.post("/tenant", sluice.text(), (_req, res) => res.send("read"));
    const note: ErrorRequestHandler = (error, _req, res, _next) => {
      seen.push([error.status, tenants.getStore()]);
      res.sendStatus(error.status);
    };
    app.use(note);
    const ask = (tenant: string, stream: ReadableStream) =>
      app.fetch(
        new Request("http://localhost/tenant", {
          method: "POST",
          body: stream,
          headers: { "x-tenant": tenant, "content-type": "text/plain" },
        }),
      );
    const first = body();
    const slow = ask("slow", first.stream);
    first.send(90_000);
    const others = Array.from({ length: 3 }, () => body());
    const busy = others.map(({ stream }) => ask("busy", stream));
    await turn();
    setTo(10_000);
    for (const { send } of others) send(98_000);
    await turn();
    for (const { send } of others) send(4000);
    others.push(body());
    busy.push(ask("busy", others[3]!.stream));
    others[3]!.send(90_000);
    assertEquals((await slow).status, 408);
    assertEquals(seen, [[408, "slow"]]);
    for (const { end } of others) end();
    for (const one of [slow, ...busy]) await (await one).body?.cancel();
  });
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

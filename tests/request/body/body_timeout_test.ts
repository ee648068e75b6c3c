/** Bodies that stall, on the test's clock. */
import { assertEquals } from "@std/assert";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { ask, quietApp } from "../../support/app.ts";
import { virtualTimers } from "../../support/virtual_timers.ts";

type Init = RequestInit & { send(text: string): void; end(): void; cancelled: boolean };

/** A request whose body comes from the test. */
function upload(headers: Record<string, string> = {}): Init {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const encoder = new TextEncoder();
  const init: Init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: new ReadableStream<Uint8Array>({
      start: (given) => void (controller = given),
      cancel: () => void (init.cancelled = true),
    }),
    send: (text) => controller.enqueue(encoder.encode(text)),
    end: () => controller.close(),
    cancelled: false,
  };
  return init;
}

function reading(): FrameworkApp {
  const app = quietApp();
  app.post("/json", async (req, res) => res.json(await req.json()));
  app.post("/parsed", sluice.json(), (req, res) => res.json(req.body));
  app.post("/bytes", async (req, res) => res.json((await req.arrayBuffer()).byteLength));
  app.post("/loop", async (req, res) => {
    for await (const _ of req);
    res.json("read");
  });
  app.post("/events", (req, res) => void req.on("data", () => {}).on("end", () => res.json("read")));
  app.post("/piped", (req, res) => void req.pipe(res));
  return app;
}

/** The response status within this many ms, `null` without a response. */
async function statusWithin(answer: Promise<Response>, wait: () => Promise<void>): Promise<number | null> {
  let status: number | null = null;
  answer.then((response) => (status = response.status, response.body?.cancel()), () => {});
  await wait();
  return status;
}

for (const way of ["json", "parsed", "bytes", "loop", "events"]) {
  for (
    const headers of [{}, { "content-length": "1000" }, { "content-length": "200000" }] as Record<string, string>[]
  ) {
    const announced = headers["content-length"] ?? "nothing";
    if (announced === "200000" && way === "parsed") continue;
    Deno.test(`a body without a byte for 30 s is 408, and not before: ${way}, ${announced} announced`, async () => {
      using timers = virtualTimers();
      const init = upload(headers);
      const response = ask(reading(), `/${way}`, init);
      init.send("[");
      assertEquals(await statusWithin(response, () => timers.advance(29_900)), null);
      assertEquals(await statusWithin(response, () => timers.advance(1_500)), 408);
      assertEquals((await response).headers.get("connection"), "close");
      // a body that the runtime reads in one go cannot be canceled
      assertEquals(init.cancelled, announced !== "1000" || way === "loop" || way === "events");
      assertEquals(timers.pending, 0);
    });
  }

  Deno.test(`a body that goes on is read, however long that takes: ${way}`, async () => {
    using timers = virtualTimers();
    const init = upload();
    const response = ask(reading(), `/${way}`, init);
    init.send("[1");
    for (let i = 0; i < 20; i++) {
      assertEquals(await statusWithin(response, () => timers.advance(29_000)), null);
      init.send(",1");
    }
    init.send("]");
    init.end();
    assertEquals(await statusWithin(response, () => timers.advance(0)), 200);
    assertEquals(timers.pending, 0);
  });

  Deno.test(`body timeout is set in ms, and lifted with 0 or Infinity: ${way}`, async () => {
    using timers = virtualTimers();
    for (const [ms, waited, status] of [[3000, 3200, 408], [0, 1e9, null], [Infinity, 1e9, null]] as const) {
      const init = upload();
      const response = ask(reading().set("body timeout", ms), `/${way}`, init);
      assertEquals(await statusWithin(response, () => timers.advance(waited)), status);
      if (status === null) init.end();
      await response;
    }
    assertEquals(timers.pending, 0);
  });
}

Deno.test("a body that the program does not ask for may wait", async () => {
  using timers = virtualTimers();
  const app = quietApp();
  app.post("/", async (req, res) => {
    const chunks = req[Symbol.asyncIterator]();
    await chunks.next();
    await new Promise((resolve) => setTimeout(resolve, 100_000));
    await chunks.return?.();
    res.json("answered");
  });
  const init = upload();
  const response = ask(app, "/", init);
  init.send("[");
  assertEquals(await statusWithin(response, () => timers.advance(99_000)), null);
  assertEquals(await statusWithin(response, () => timers.advance(1_000)), 200);
});

Deno.test("a listener for errors is told, and answers itself", async () => {
  using timers = virtualTimers();
  const app = quietApp();
  app.post("/", (req, res) => {
    req.on("data", () => {});
    req.on("error", (error: Error & { status?: number; code?: string }) => res.json([error.status, error.code]));
  });
  const response = ask(app, "/", upload());
  await timers.advance(31_000);
  assertEquals(await (await response).json(), [408, "ETIMEDOUT"]);
});

Deno.test("a response that depends on a body which stopped is cut", async () => {
  using timers = virtualTimers();
  const init = upload();
  const response = ask(reading(), "/piped", init);
  init.send("begun");
  await timers.advance(10);
  const text = (await response).text().then(() => "complete", () => "cut");
  await timers.advance(32_000);
  assertEquals(await text, "cut");
});

Deno.test("many bodies that wait share one timer", async () => {
  using timers = virtualTimers();
  const app = reading();
  const all = Array.from({ length: 100 }, () => ask(app, "/json", upload()));
  await timers.advance(0);
  assertEquals(timers.pending, 1);
  await timers.advance(31_000);
  for (const response of all) assertEquals((await response).status, 408);
  assertEquals(timers.pending, 0);
});

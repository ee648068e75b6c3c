import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import sluice, { type Handler as AppHandler } from "@sluice/sluice";
import { type LambdaContext, toStreamingHandler } from "@sluice/sluice/lambda";
import { Writable } from "node:stream";
import { asking } from "../support/lambda_function.ts";

type Handler = (event: unknown, stream: Writable, context: LambdaContext) => Promise<void>;

/** The application as Lambda calls it; tests/runtime/lambda_test.ts uses real AWS code instead. */
function streaming(response: AppHandler): Handler {
  const awslambda = {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: { from: (stream: Writable) => stream },
  };
  Object.assign(globalThis, { awslambda });
  try {
    const app = sluice();
    app.get("/", response);
    return toStreamingHandler(app) as unknown as Handler;
  } finally {
    Reflect.deleteProperty(globalThis, "awslambda");
  }
}

function context(): LambdaContext {
  return { awsRequestId: "1", callbackWaitsForEmptyEventLoop: true, getRemainingTimeInMillis: () => 1000 };
}

/** An endless body that records its reads and its end. */
function endless(pieces = Infinity): { response: Response; pulled: () => number; cancelled: Promise<unknown> } {
  let pulled = 0;
  let cancelled: (reason: unknown) => void;
  const done = new Promise<unknown>((resolve) => cancelled = resolve);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (++pulled > pieces) return controller.close();
      controller.enqueue(new Uint8Array(10));
    },
    cancel: (reason) => cancelled(reason),
  }, { highWaterMark: 0 });
  return { response: new Response(body), pulled: () => pulled, cancelled: done };
}

Deno.test("a streaming function reads pieces no faster than the stream takes them", async () => {
  const body = endless(100);
  let written = 0;
  let ahead = 0;
  const stream = new Writable({
    highWaterMark: 1,
    write(piece, _encoding, done) {
      ahead = Math.max(ahead, body.pulled() - written);
      if (piece.length > 0) written++;
      setTimeout(done, 0);
    },
  });
  await streaming(() => body.response)(await asking("function_url", "/"), stream, context());
  await new Promise((resolve) => stream.once("finish", resolve));
  assertEquals(written, 100);
  assert(ahead <= 3, `${ahead} pieces ahead`);
});

for (const error of [new Error("gone"), undefined]) {
  const how = error === undefined ? "is closed" : "fails";
  Deno.test(`a stream that ${how} cancels the body, and the function ends`, async () => {
    const body = endless();
    // never drains, so the function waits
    const stream = new Writable({ highWaterMark: 1, write: () => {} });
    const ended = streaming(() => body.response)(await asking("function_url", "/"), stream, context());
    while (body.pulled() === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    stream.destroy(error);
    const reason = await body.cancelled;
    if (error !== undefined) assertEquals(reason, error);
    await ended;
  });

  Deno.test(`a stream that ${how} aborts req.signal and closes res, and the function ends`, async () => {
    const stream = new Writable({ write: (_piece, _encoding, done) => done() });
    const seen: string[] = [];
    const handler = streaming((req, res) => {
      req.signal.addEventListener("abort", () => seen.push("aborted"));
      res.on("close", () => seen.push("closed"));
      res.write("begun");
      setTimeout(() => stream.destroy(error), 0);
    });
    await handler(await asking("function_url", "/"), stream, context());
    assertEquals(seen.sort(), ["aborted", "closed"]);
  });
}

Deno.test("a streaming function ends its answer, then waits for background work, unless the body fails", async () => {
  const order: string[] = [];
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => release = resolve);
  const stream = new Writable({ write: (_piece, _encoding, done) => done() });
  stream.once("finish", () => {
    order.push("answered");
    release();
  });
  const signals: AbortSignal[] = [];
  const handler = streaming((req) => {
    signals.push(req.request.signal);
    req.waitUntil(gate.then(() => void order.push("worked")));
    return new Response("text");
  });
  const invocation = context();
  await handler(await asking("function_url", "/"), stream, invocation);
  assertEquals(order, ["answered", "worked"]);
  assertEquals([signals[0]!.aborted, invocation.callbackWaitsForEmptyEventLoop], [false, false]);

  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("broken on purpose")) });
  const left = new Writable({ write: (_piece, _encoding, done) => done() });
  const failing = streaming(() => new Response(broken));
  await assertRejects(
    async () => failing(await asking("function_url", "/"), left, context()),
    Error,
    "broken on purpose",
  );
  assertEquals(left.writableEnded, false, "Lambda must report the error, and ends the stream itself");
});

Deno.test("without Lambda's own runtime, toStreamingHandler says what to use instead", () => {
  assertThrows(() => toStreamingHandler(sluice()), TypeError, "use toLambdaHandler elsewhere");
});

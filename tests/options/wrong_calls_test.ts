/** Functions that are passed where their result belongs, and those with arguments in a different order. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import sluice, { json, rateLimit as coreLimit, shedLoad } from "@sluice/sluice";
import { compress } from "@sluice/middleware/compress";
import { context } from "@sluice/middleware/context";
import { csrf } from "@sluice/middleware/csrf";
import { health } from "@sluice/middleware/health";
import { log } from "@sluice/middleware/log";
import { metrics } from "@sluice/middleware/metrics";
import { requestId, traceHeaders } from "@sluice/middleware/request-id";
import { session } from "@sluice/middleware/session";
import { upload } from "@sluice/middleware/upload";
import { agentTools, openapi, operation, validate } from "@sluice/openapi";
import { checkApplication } from "@sluice/openapi/check";
import { generateClient } from "@sluice/openapi/generate";
import { adaptiveConcurrency, rateLimit } from "@sluice/rate-limit";
import { z } from "zod";
import { quietApp } from "../support/app.ts";

// deno-lint-ignore no-explicit-any -- what plain JavaScript may give
type Given = any;

const INFO = { title: "Books", version: "1.0.0" };

/** Functions that make middleware. */
const MAKERS: Readonly<Record<string, Given>> = {
  compress,
  context,
  csrf,
  health,
  log,
  metrics,
  requestId,
  session,
  upload,
  operation,
  validate,
  adaptiveConcurrency,
  rateLimit,
  json,
  shedLoad,
};

async function refusal(handler: Given): Promise<string> {
  const app = quietApp().get("/", handler);
  app.use((error: Given, _req: Given, res: Given, _next: Given) => res.send(error.message));
  return await (await app.inject("/")).text();
}

for (const [name, make] of Object.entries(MAKERS)) {
  Deno.test(`${name}, registered without a call, says that the call makes the middleware`, async () => {
    assertEquals(await refusal(make), `${name}() makes the middleware: register ${name}(), not ${name}`);
  });
}

Deno.test("so does the core's limiter", async () => {
  assertEquals(await refusal(coreLimit), "rateLimit() makes the middleware: register rateLimit(), not rateLimit");
});

Deno.test("functions that take an application or a document say how to call them", async () => {
  const app = sluice() as Given;
  const document = openapi(app, INFO) as Given;
  const tools = agentTools as Given;
  for (const given of [[app], [app, INFO], [document], [document, app], []]) {
    assertThrows(
      () => tools(...given),
      TypeError,
      'agentTools: write agentTools(app, document), with document = openapi(app, { title: "Books", version: "1.0.0" })',
    );
  }
  assertThrows(
    () => generateClient(document),
    TypeError,
    "generateClient: app must be an application, not an object; write generateClient(app), or " +
      "generateClient(app, { document })",
  );
  await assertRejects(
    () => checkApplication(document),
    TypeError,
    "checkApplication: app must be an application, not an object; write checkApplication(app)",
  );
});

Deno.test("traceHeaders refuses an application, a schema alone is not validate's options, and log has no formats", () => {
  assertThrows(() => traceHeaders(sluice() as Given), TypeError, "traceHeaders: the request has no trace");
  assertThrows(
    () => validate(z.object({ text: z.string() }) as Given),
    TypeError,
    "validate: say what the schema is for, such as validate({ body: schema })",
  );
  assertThrows(
    () => log("dev" as Given),
    TypeError,
    'log: there is no format "dev", as in morgan: write log(), or log({ format: "json" })',
  );
});

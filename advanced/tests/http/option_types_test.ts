/** Argument types for functions in the options: this file does not compile if one is wrong. */
import { assertEquals } from "@std/assert";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import sluice, { type Request as SluiceRequest, Router } from "@sluice/sluice";
import { type AnyRequest, fetchLimit, rateLimit, type RateLimitMiddleware, type RateLimitOptions } from "../../mod.ts";
import { type Equal, expectType } from "../../../tests/types/support/expect_type.ts";

/** The part of `@types/express` that makes its requests a different type from Sluice's. */
interface ExpressRequest extends IncomingMessage {
  ip?: string | undefined;
  res?: ExpressResponse | undefined;
  get(name: string): string | undefined;
}

interface ExpressResponse extends ServerResponse {
  status(code: number): this;
  send(body?: unknown): this;
}

Deno.test("functions in the options get the request of the application that the limiter is given to", () => {
  const app = sluice();
  app.use(rateLimit({
    keyGenerator: (req, res) => {
      expectType<Equal<ReturnType<typeof req.get>, string | undefined>>();
      return req.get("x-user") ?? res.locals.user;
    },
  }));
  app.get(
    "/:id",
    rateLimit({
      keyGenerator: (req) => {
        expectType<Equal<typeof req.params.id, string>>();
        return req.params.id;
      },
      handler: (_req, res, _next, { statusCode, message }) => res.status(statusCode).send(message),
      maxDebt: 10,
      costAfter: (req, res) => {
        expectType<Equal<typeof req.params.id, string>>();
        return Number(res.locals.tokens);
      },
    }),
    (req, res) => res.send(req.params.id),
  );
  Router().use("/api", rateLimit({ skip: (req) => req.method === "HEAD", message: (req) => `not more, ${req.ip}` }));
  const elsewhere = rateLimit({
    keyGenerator: (req) => {
      expectType<Equal<typeof req, AnyRequest>>();
      return req.session.user;
    },
  });
  const said = rateLimit({
    keyGenerator: (req: SluiceRequest, res) => req.get("x-user") ?? res.locals.user,
    handler: (_req, res) => res.status(503).json({ error: "later" }),
  });
  const kept: RateLimitMiddleware[] = [elsewhere, said];
  app.use(elsewhere, said).get("/one/:id", elsewhere, said, (req, res) => res.send(req.params.id));
  assertEquals(kept.length, 2);
});

Deno.test("a handler is typed for the request and response of Express or Node", () => {
  const limits = [
    rateLimit({ handler: (_req, res, _next, { statusCode, message }) => res.status(statusCode).send(message) }),
    rateLimit({
      handler: (_req: ExpressRequest, res: ExpressResponse, _next, { statusCode, message }) =>
        res.status(statusCode).send(message),
    }),
    rateLimit<ExpressRequest>({
      keyGenerator: (req) => req.get("x-user") ?? req.ip,
      handler: (_req, res) => {
        expectType<Equal<typeof res, ExpressResponse>>();
        res.status(503).send("later");
      },
    }),
    rateLimit({
      keyGenerator: (req: IncomingMessage) => req.socket.remoteAddress,
      handler: (_req, res) => res.end("not now"),
    }),
  ];
  const options: RateLimitOptions = { handler: (_req, res) => res.end() };
  const server = createServer((req, res) => void limits[3]!(req, res, () => res.end("hello")));
  assertEquals([limits.length, typeof rateLimit(options), server.listening], [4, "function", false]);
});

Deno.test("functions in the options are typed for request and response, and with fetchLimit for the request", () => {
  const limits = [
    rateLimit({
      keyGenerator: (req, res) => String(res.locals.user ?? req.ip),
      message: (_req, res) => `not more, ${res.locals.user}`,
    }),
    rateLimit({
      keyGenerator: (req: ExpressRequest, _res: ExpressResponse) => req.ip,
      skip: (_req, res) => res.hasHeader("x-internal"),
      limit: (req, _res) => req.get("x-plan") === "large" ? 1000 : 10,
    }),
  ];
  const limit = fetchLimit({
    keyGenerator: (...all) => {
      // deno-lint-ignore no-explicit-any -- only the program knows what its platform passes
      expectType<Equal<typeof all, [req: Request, info?: any]>>();
      return all[0].headers.get("x-user") ?? "nobody";
    },
  });
  assertEquals([limits.length, typeof limit], [2, "function"]);
});

Deno.test("requestWasSuccessful gets the response of Sluice or Express, and with fetchLimit its status", () => {
  const limits = [
    rateLimit({ skipFailedRequests: true, requestWasSuccessful: (_req, res) => res.locals.failed !== true }),
    rateLimit({
      skipFailedRequests: true,
      requestWasSuccessful: (_req: ExpressRequest, res: ExpressResponse) => !res.hasHeader("x-failed"),
    }),
    rateLimit<ExpressRequest>({ skipFailedRequests: true, requestWasSuccessful: (_req, res) => res.writableFinished }),
  ];
  const limit = fetchLimit({
    skipFailedRequests: true,
    requestWasSuccessful: (request, response) => {
      expectType<Equal<typeof response, { statusCode: number }>>();
      return response.statusCode < 400 || request.method === "HEAD";
    },
  });
  assertEquals([limits.length, typeof limit], [3, "function"]);
});

Deno.test("clientAddress can be typed for the platform", () => {
  const address = fetchLimit({
    clientAddress: (_request, event: { getClientAddress(): string }) => event.getClientAddress(),
  });
  const peer = fetchLimit({ clientAddress: (_request, { incoming }) => incoming.socket.remoteAddress });
  assertEquals([typeof address, typeof peer], ["function", "function"]);
});

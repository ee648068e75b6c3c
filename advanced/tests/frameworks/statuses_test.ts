/** The status that functions in the options see is that of the response, whatever the handler returns or throws. */
import { assertEquals } from "@std/assert";
import { Elysia } from "elysia";
import { H3, HTTPError, HTTPResponse } from "h3";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { rateLimit as elysiaLimit } from "../../elysia.ts";
import { rateLimit as h3Limit } from "../../h3.ts";
import { rateLimit as honoLimit } from "../../hono.ts";

type Fetch = (request: Request) => Response | Promise<Response>;

/** Sends a request through a limiter, and returns the response's status and the one that the limiter saw. */
async function statuses(
  make: (options: { requestWasSuccessful(context: unknown, response: { statusCode: number }): boolean }) => Fetch,
): Promise<[sent: number, seen: number]> {
  const { promise: seen, resolve } = Promise.withResolvers<number>();
  const fetch = make({
    requestWasSuccessful: (_context, { statusCode }) => {
      resolve(statusCode);
      return true;
    },
  });
  const response = await fetch(new Request("http://localhost/"));
  await response.body?.cancel();
  return [response.status, await seen];
}

const OPTIONS = { keyGenerator: () => "key", skipFailedRequests: true };

function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

Deno.test("h3: the status is that of the response, and not a property of its body", async () => {
  const handlers: [handler: () => unknown, status: number][] = [
    [() => ({ status: 500 }), 200],
    [() => ({ id: 7, status: 404 }), 200],
    [() => new Response("", { status: 503 }), 503],
    [() => new HTTPResponse("", { status: 410 }), 410],
    [() => new HTTPError({ status: 402 }), 402],
    [() => new Error("failed"), 500],
    [throwing(new HTTPError({ status: 401 })), 401],
    [throwing(Object.assign(new Error("failed"), { statusCode: 403 })), 403],
    [throwing(Object.assign(new Error("failed"), { status: 9999 })), 500],
    [throwing(new Error("failed", { cause: { status: 409 } })), 409],
    [throwing(new Response("", { status: 404 })), 500],
    [throwing({ status: 403 }), 500],
    [throwing(418), 418],
  ];
  for (const [handler, status] of handlers) {
    const both = await statuses((options) => {
      const app = new H3({ silent: true }).use(h3Limit({ ...OPTIONS, ...options })).get("/", handler);
      return (request) => app.fetch(request);
    });
    assertEquals(both, [status, status], String(handler));
  }
});

Deno.test("Elysia: the status is that of the response, also if a handler returns an error", async () => {
  const handlers: [handler: () => unknown, status: number][] = [
    [() => ({ status: 500 }), 200],
    [() => new Error("failed"), 500],
    [() => new Response("", { status: 503 }), 503],
    [throwing(Object.assign(new Error("failed"), { status: 403 })), 403],
  ];
  for (const [handler, status] of handlers) {
    const both = await statuses((options) => {
      const app = new Elysia().use(elysiaLimit({ ...OPTIONS, ...options })).get("/", handler as () => string);
      return (request) => app.fetch(request);
    });
    assertEquals(both, [status, status], String(handler));
  }
});

Deno.test("Hono: the status is that of the response, also if a handler returns none", async () => {
  const logged = console.error;
  console.error = () => {};
  try {
    const handlers: [handler: () => unknown, status: number][] = [
      [() => undefined, 500],
      [() => new Response("", { status: 503 }), 503],
      [throwing(new HTTPException(401)), 401],
      [throwing(new Error("failed")), 500],
    ];
    for (const [handler, status] of handlers) {
      const both = await statuses((options) => {
        const app = new Hono().use(honoLimit({ ...OPTIONS, ...options })).get("/", handler as () => Response);
        return (request) => app.fetch(request);
      });
      assertEquals(both, [status, status], String(handler));
    }
  } finally {
    console.error = logged;
  }
});

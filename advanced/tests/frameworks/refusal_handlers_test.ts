/** A refused request never reaches its route, whatever `handler` returns. */
import { assertEquals } from "@std/assert";
import { Elysia } from "elysia";
import { H3 } from "h3";
import { Hono } from "hono";
import { rateLimit as elysiaLimit } from "../../elysia.ts";
import { rateLimit as h3Limit } from "../../h3.ts";
import { rateLimit as honoLimit } from "../../hono.ts";

const REQUEST = new Request("http://localhost/");
const OPTIONS = { limit: 0, keyGenerator: () => "key" };
const NOTHING: readonly (() => unknown)[] = [() => undefined, () => null, () => Promise.resolve(undefined)];

function unreachable(): never {
  throw new Error("a refused request has reached its route");
}

Deno.test("h3: a handler that only sets the status refuses the request", async () => {
  for (const nothing of NOTHING) {
    const limit = h3Limit({
      ...OPTIONS,
      handler: ({ res }) => {
        res.status = 420;
        return nothing();
      },
    });
    const response = await new H3({ silent: true }).use(limit).get("/", unreachable).fetch(REQUEST);
    assertEquals([response.status, await response.text()], [420, ""]);
    assertEquals(response.headers.get("x-ratelimit-remaining"), "0");
  }
});

Deno.test("Elysia: a handler that only sets the status refuses the request", async () => {
  for (const nothing of NOTHING) {
    const limit = elysiaLimit({
      ...OPTIONS,
      handler: ({ set }) => {
        set.status = 420;
        return nothing();
      },
    });
    const response = await new Elysia().use(limit).get("/", unreachable).fetch(REQUEST);
    assertEquals([response.status, await response.text()], [420, ""]);
    assertEquals(response.headers.get("x-ratelimit-remaining"), "0");
  }
});

Deno.test("Hono: a handler that returns no response is an error", async () => {
  for (const nothing of NOTHING) {
    const limit = honoLimit({ ...OPTIONS, handler: nothing as () => Response });
    const errors: string[] = [];
    const app = new Hono().onError((error, c) => {
      errors.push(error.message);
      return c.text("failed", 500);
    });
    const response = await app.use(limit).get("/", unreachable).fetch(REQUEST);
    assertEquals([response.status, errors.length], [500, 1]);
    assertEquals(errors[0]!.startsWith("rateLimit: handler must return a Response, not "), true, errors[0]);
  }
});

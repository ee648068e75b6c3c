/** Elysia and Hono on Bun, as they are at home there: prints what clients get. */
import { Elysia } from "elysia";
import { Hono } from "hono";
import { rateLimit as elysiaLimit } from "@sluice/rate-limit/elysia";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";

/** The part of Bun's server that the program uses. */
interface BunServer {
  readonly port: number;
  stop(now: boolean): Promise<void>;
}

// deno-lint-ignore no-explicit-any -- Bun's own, which has no types here
const { Bun, console } = globalThis as any;

async function report(name: string, server: BunServer): Promise<void> {
  const said: string[] = [];
  for (const path of ["/hello", "/hello", "/left", "/hello"]) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    said.push(`${response.status} ${await response.text()} ${response.headers.get("x-ratelimit-remaining")}`);
  }
  await server.stop(true);
  console.log(`${name}: ${said.join(", ")}`);
}

const limits = () => ({ max: 3, windowMs: 60_000, message: "too many" });

const elysia = new Elysia().use(elysiaLimit(limits()))
  .get("/hello", () => "hello")
  .get("/left", ({ rateLimit }) => `${rateLimit?.remaining} of ${rateLimit?.key}`)
  .listen({ hostname: "127.0.0.1", port: 0 });
await report("Elysia", elysia.server as unknown as BunServer);

const limit = honoLimit(limits());
const hono = new Hono().use(limit)
  .get("/hello", (c) => c.text("hello"))
  .get("/left", (c) => {
    const { remaining, key } = c.get("rateLimit" as never) as { remaining: number; key: string };
    return c.text(`${remaining} of ${key}`);
  });
await report("Hono", Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: hono.fetch }));

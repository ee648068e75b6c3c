/** Elysia and Hono served natively by Bun: prints the clients' responses. */
import { Elysia } from "elysia";
import { Hono } from "hono";
import { rateLimit as elysiaLimit } from "@sluice/rate-limit/elysia";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { PolicyRules } from "@sluice/rate-limit/rules";

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

/** Counts the hosts for which the policy for a route refuses the second request. */
async function reportRoutes(name: string, server: BunServer): Promise<void> {
  let refused = 0;
  for (const host of HOSTS) {
    for (const path of ["/shops/7", "/shops/7"]) {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { host } });
      if (response.status === 429) refused++;
    }
  }
  await server.stop(true);
  console.log(`${name}: ${refused} of ${HOSTS.length} hosts`);
}

/** Elysia looks for the path from a URL's twelfth character on. */
const HOSTS = ["h", "example.com"];

/** Keyed by host, so that each has its own quota. */
const rules = () =>
  new PolicyRules({
    policies: [{
      name: "shop",
      routes: ["/shops/:id"],
      key: [{ header: "host" }, { path: 2 }],
      limit: 1,
      window: "1h",
    }],
  });

const limits = () => ({ limit: 3, windowMs: 60_000, message: "too many" });

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

for (const systemRouter of [true, false]) {
  const app = new Elysia({ systemRouter }).use(elysiaLimit({ rules: rules() })).get("/shops/:id", () => "shop");
  const { server } = app.listen({ hostname: "127.0.0.1", port: 0 });
  await reportRoutes(`Elysia's routes${systemRouter ? ", with Bun's router" : ""}`, server as unknown as BunServer);
}
const routed = new Hono().use(honoLimit({ rules: rules() })).get("/shops/:id", (c) => c.text("shop"));
await reportRoutes("Hono's routes", Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: routed.fetch }));

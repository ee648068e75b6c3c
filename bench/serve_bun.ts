/** Serves one contestant on Bun: `<contestant> <application> <folder>`. Prints its port when it listens. */
import type { Application } from "./service/scenarios.ts";
import { fetchHandler } from "./servers/handlers.ts";
import type { ServeStatic } from "./servers/hono.ts";

interface BunGlobal {
  argv: string[];
  serve(options: object): { port: number };
}

const { Bun } = globalThis as unknown as { Bun: BunGlobal };
const [contestant = "", application = "", folder = ""] = Bun.argv.slice(2);
const served = { application: application as Application, folder };
const options = { port: 0, hostname: "127.0.0.1" };

if (contestant === "elysia") {
  // Elysia's own `listen` passes its routes to Bun
  const { elysiaApp } = await import("./servers/elysia.ts");
  elysiaApp(served.application).listen(options, (server) => console.log(server.port));
} else if (contestant === "express") {
  const { createServer } = await import("node:http");
  const { expressApp } = await import("./servers/express.ts");
  const server = createServer(expressApp(served.application, folder));
  server.listen(0, options.hostname, () => console.log((server.address() as { port: number }).port));
} else {
  const honoStatic = async () => (await import("hono/bun")).serveStatic as ServeStatic;
  console.log(Bun.serve({ ...options, fetch: await fetchHandler(contestant, served, honoStatic) }).port);
}

/** Serves one contestant on Deno: `serve.ts <contestant> <application> <folder>`. Prints its port when it listens. */
import type { Application } from "./service/scenarios.ts";
import { fetchHandler } from "./servers/handlers.ts";
import type { ServeStatic } from "./servers/hono.ts";

const [contestant = "", application = "", folder = ""] = Deno.args;
const served = { application: application as Application, folder };
const HOST = "127.0.0.1";

if (contestant === "express") {
  const { createServer } = await import("node:http");
  const { expressApp } = await import("./servers/express.ts");
  const server = createServer(expressApp(served.application, folder));
  server.listen(0, HOST, () => console.log((server.address() as { port: number }).port));
} else {
  const honoStatic = async () => (await import("hono/deno")).serveStatic as ServeStatic;
  const handler = await fetchHandler(contestant, served, honoStatic);
  Deno.serve({ port: 0, hostname: HOST, onListen: ({ port }) => console.log(port) }, handler);
}

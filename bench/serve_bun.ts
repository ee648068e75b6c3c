/** Serves one contestant on Bun: `<contestant> [port]`. Prints its port when it listens. */
import { fetchHandler } from "./servers/handlers.ts";

interface BunGlobal {
  argv: string[];
  serve(options: object): { port: number };
}

const { Bun } = globalThis as unknown as { Bun: BunGlobal };
const [contestant = "", port = "0"] = Bun.argv.slice(2);
const options = { port: Number(port), hostname: "127.0.0.1" };

if (contestant === "elysia") {
  // Elysia's own listen passes its routes to Bun
  const { elysiaApp } = await import("./servers/elysia.ts");
  elysiaApp().listen(options, (server) => console.log(server.port));
} else {
  console.log(Bun.serve({ ...options, fetch: await fetchHandler(contestant) }).port);
}

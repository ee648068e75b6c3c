/**
 * All cores by a shared port: the system spreads connections over the processes that listen on it. Start one process
 * per core, with systemd, a process manager, or a shell loop. It needs Linux, and
 *
 * - Bun: `PORT=3000 bun shared_port.ts`
 * - Deno: `PORT=3000 deno run --unstable-net --allow-env --allow-net shared_port.ts`
 * - Node 22.12 or later, with `import "@sluice/sluice/node"` in front
 */
import process from "node:process";
import app from "./app.ts";

const server = app.listen({ port: Number(process.env["PORT"] ?? 3000), reusePort: true }, () => {
  console.log(server.port);
});
process.on("SIGTERM", async () => {
  await app.close({ timeoutMs: 10_000 });
  process.exit(0);
});

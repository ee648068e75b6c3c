/**
 * All cores on Node, of every version: the first process listens, and distributes its connections to the others in
 * turn. A process that exits is replaced; SIGTERM stops all of them, each after its in-flight requests.
 */
import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import process from "node:process";
import { serve } from "@sluice/sluice/node";

if (cluster.isPrimary) {
  let closing = false;
  for (let i = 0; i < Number(process.env["WORKERS"] ?? availableParallelism()); i++) cluster.fork();
  cluster.on("exit", () => void (closing || cluster.fork()));
  process.on("SIGTERM", () => {
    closing = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill("SIGTERM");
  });
} else {
  const { default: app } = await import("./app.ts");
  const server = serve(app, { port: Number(process.env["PORT"] ?? 3000) }, () => console.log(server.port));
  process.on("SIGTERM", async () => {
    await app.close({ timeoutMs: 10_000 });
    process.exit(0);
  });
}

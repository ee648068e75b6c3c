/**
 * Serves one contestant on any runtime: `serve.ts <contestant>`. Prints its port when it listens. `/work` uses the
 * processor for 20 ms; `/runs` returns how often it has run.
 */
import process from "node:process";
import { WORK_MS } from "./work.ts";

// deno-lint-ignore no-explicit-any -- two libraries with one API but separate types
type Any = any;

const [contestant = ""] = process.argv.slice(2);
let runs = 0;

function register(app: Any): void {
  app.set("env", "test");
  app.get("/runs", (_req: Any, res: Any) => res.json(runs));
  app.get("/work", (_req: Any, res: Any) => {
    runs++;
    const end = performance.now() + WORK_MS;
    while (performance.now() < end);
    res.send("done");
  });
  app.get("/", (_req: Any, res: Any) => res.send("ok"));
}

if (contestant === "express") {
  const { default: express } = await import("express");
  const app = express();
  register(app);
  const server = app.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));
} else {
  const { default: sluice, shedLoad } = await import("@sluice/sluice");
  await import("@sluice/sluice/node");
  const app = sluice();
  if (contestant === "shedding") {
    app.use(shedLoad({ priority: (req) => req.path === "/runs" ? "critical" : "normal" }));
  }
  register(app);
  const server = app.listen({ port: 0, hostname: "127.0.0.1" }, () => console.log(server.port));
}

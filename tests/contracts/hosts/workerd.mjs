// Runs a bundled Worker in workerd, through miniflare, and prints where it listens.
import { readFileSync } from "node:fs";
import { Miniflare } from "miniflare";

const contents = readFileSync(process.argv[2], "utf8");
const worker = new Miniflare({
  modules: [{ type: "ESModule", path: "worker.js", contents }],
  compatibilityDate: "2026-01-01",
  // without it req.signal never aborts
  compatibilityFlags: ["enable_request_signal"],
  host: "127.0.0.1",
  port: 0,
});
console.log((await worker.ready).port);

// workerd is a process of its own, and would stay
process.once("SIGTERM", async () => {
  await worker.dispose();
  process.exit();
});

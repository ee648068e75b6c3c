// Runs a bundled Worker in workerd, through miniflare, and prints its address.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { Miniflare } from "miniflare";

const [, , script, object] = process.argv;
const { BINDINGS = "{}" } = process.env;
const FILES = "tests/fixtures";

// a Worker's only files are the modules it was deployed with
const files = readdirSync(FILES, { recursive: true }).map((name) => `${FILES}/${name}`)
  .filter((path) => statSync(path).isFile())
  .map((path) => ({ type: "Data", path, contents: readFileSync(path) }));
const worker = new Miniflare({
  modules: [{ type: "ESModule", path: "worker.js", contents: readFileSync(script, "utf8") }, ...files],
  compatibilityDate: "2026-07-01",
  // without the first, node:fs is missing; without the second, req.signal never aborts
  compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
  bindings: JSON.parse(BINDINGS),
  durableObjects: object === undefined ? {} : { PROGRAM: { className: object, useSQLite: true } },
  host: "127.0.0.1",
  port: 0,
});
console.log((await worker.ready).port);

// workerd is a separate process, which would otherwise keep running
process.once("SIGTERM", async () => {
  await worker.dispose();
  process.exit();
});

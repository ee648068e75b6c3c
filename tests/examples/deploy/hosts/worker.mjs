// Runs a Worker that wrangler has built in workerd, configured by its wrangler.jsonc, and prints where it listens.
// What its Durable Objects store is kept in a folder.
import { Miniflare } from "miniflare";

// installed beside the copy of this file that runs, and nowhere else
const name = "wrangler";
const { unstable_getMiniflareWorkerOptions } = await import(name);

const [config, bundle, storage] = process.argv.slice(2);
const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
const { SERVICE_NAME, AUDIT_URL } = process.env;
const worker = new Miniflare({
  ...workerOptions,
  modules: [{ type: "ESModule", path: bundle }],
  modulesRules: undefined,
  durableObjectsPersist: storage,
  bindings: { ...workerOptions.bindings, SERVICE_NAME, AUDIT_URL },
  host: "127.0.0.1",
  port: 0,
});
console.log((await worker.ready).port);

// workerd is a process of its own, and would stay
process.once("SIGTERM", async () => {
  await worker.dispose();
  process.exit();
});

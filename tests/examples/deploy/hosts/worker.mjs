// Runs a Worker built by wrangler in workerd, configured by its wrangler.jsonc, and prints its address. Its Durable
// Objects are stored in a folder.
import { Miniflare } from "miniflare";

// installed only beside the copy of this file that runs
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

// workerd is a separate process, which would otherwise keep running
process.once("SIGTERM", async () => {
  await worker.dispose();
  process.exit();
});

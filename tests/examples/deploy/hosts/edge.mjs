// Runs a bundled edge function in Vercel's edge-runtime, with the variables of this process, and prints where it listens.
import { readFileSync } from "node:fs";

// installed beside the copy of this file that runs, and nowhere else
const name = "edge-runtime";
const { EdgeRuntime, runServer } = await import(name);

const { SERVICE_NAME, AUDIT_URL, UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN } = process.env;
const env = { NODE_ENV: "production", SERVICE_NAME, AUDIT_URL, UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN };
const runtime = new EdgeRuntime({
  initialCode: readFileSync(process.argv[2], "utf8"),
  extend: (context) => Object.assign(context, { process: { env } }),
});
const server = await runServer({ runtime, host: "127.0.0.1", port: 0 });
console.log(new URL(server.url).port);

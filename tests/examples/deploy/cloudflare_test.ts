import { pathToFileURL } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { rewrite } from "../../../scripts/rewrite.ts";
import { startServing } from "../../contracts/serving.ts";
import { copyExample, done, host, skipTools, tool } from "./packages.ts";
import { type Ask, checkService, checkSocket, startAudits } from "./service.ts";

// nothing is fetched from or sent to Cloudflare
const QUIET = { CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" };

/** Builds the Worker as for a deployment, with additional flags. */
async function buildWorker(...flags: string[]): Promise<{ config: string; bundle: string; output: string }> {
  const folder = await copyExample("cloudflare");
  await rewrite(pathToFileURL(`${folder}wrangler.jsonc`), (text) => {
    const some = flags.map((flag) => `, "${flag}"`).join("");
    return text.replace(/("compatibility_flags": \[[^\]]+)/, `$1${some}`);
  });
  const env = { ...QUIET, WRANGLER_LOG_PATH: `${folder}logs`, XDG_CONFIG_HOME: `${folder}config` };
  const output = await done(tool("wrangler"), ["deploy", "--dry-run", "--outdir", "dist"], folder, env);
  return { config: `${folder}wrangler.jsonc`, bundle: `${folder}dist/index.js`, output };
}

Deno.test("the example for Cloudflare is built by wrangler, and runs in workerd with its Durable Objects", {
  ignore: skipTools,
}, async () => {
  const { config, bundle, output } = await buildWorker();
  for (const binding of ["env.RATE_LIMIT (RateLimitObject)", "env.LIVE (Live)", "env.SERVICE_NAME"]) {
    assertStringIncludes(output, binding);
  }
  assert(!/warning/i.test(output), output);
  // each package has the limiters' engine (docs/decisions/0037-one-limiter-engine.md): 2 KiB for this, 3 for
  // settlements and delays, 4 for calendar windows and replaced limits, 7 for guarded telemetry, Node's error codes,
  // one definition of a request's end, and one spelling of files
  const size = Number(output.match(/gzip: ([\d.]+) KiB/)?.[1]);
  assert(size > 10 && size < 172, `the Worker has ${size} KiB: ${output}`);

  await using audits = startAudits();
  const env = { SERVICE_NAME: "on Workers", AUDIT_URL: audits.url };
  const args = [await host("worker.mjs"), config, bundle, config.replace("wrangler.jsonc", "storage")];
  const { origin, ask, stop } = await startServing("node", args, env);
  try {
    const otherClient = { "cf-connecting-ip": "198.51.100.2" };
    await checkService({ ask: asClient(ask, "198.51.100.1"), name: "on Workers", audits, otherClient });
    await checkSocket(origin);
    // two hundred at once: one isolate decides requests from different clients, none of them under another client's key
    const clients = Array.from({ length: 200 }, (_, i) => `203.0.113.${i % 10}`);
    const responses = await Promise.all(
      clients.map((address) => asClient(ask, address)("/convert", { method: "POST" })),
    );
    const statuses = responses.map(({ status }) => status);
    for (const response of responses) await response.body?.cancel();
    assertEquals(statuses.filter((status) => status === 429).length, 100);
  } finally {
    await stop();
  }
  // a second isolate: a refused client is still refused, since the objects hold the counts
  const again = await startServing("node", args, env);
  try {
    assertEquals(await statusOf(asClient(again.ask, "198.51.100.1")("/convert/1/m/m")), 429);
    assertEquals(await statusOf(asClient(again.ask, "198.51.100.3")("/convert/1/m/m")), 200);
  } finally {
    await again.stop();
  }
});

Deno.test("the example for Cloudflare runs the same way with nodejs_compat", { ignore: skipTools }, async () => {
  const { config, bundle } = await buildWorker("nodejs_compat");
  assertStringIncludes(await Deno.readTextFile(config), `["enable_request_signal", "nodejs_compat"]`);
  await using audits = startAudits();
  const env = { SERVICE_NAME: "on Workers", AUDIT_URL: audits.url };
  const args = [await host("worker.mjs"), config, bundle, config.replace("wrangler.jsonc", "storage")];
  const { origin, ask, stop } = await startServing("node", args, env);
  try {
    const otherClient = { "cf-connecting-ip": "198.51.100.2" };
    await checkService({ ask: asClient(ask, "198.51.100.1"), name: "on Workers", audits, otherClient });
    await checkSocket(origin);
  } finally {
    await stop();
  }
});

// the header with Cloudflare's client address
function asClient(ask: Ask, address: string): Ask {
  return (path, init) => ask(path, { ...init, headers: { "cf-connecting-ip": address, ...init?.headers as object } });
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

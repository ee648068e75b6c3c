/**
 * Compares Sluice with a handler written by hand, Hono and Express: requests per second as ratios, paired within
 * rounds of one run, because the speed of a machine drifts.
 *
 * `--rounds=5 --seconds=1 --only=JSON,404`; needs wrk (Debian package `wrk`).
 */
import { flag } from "./flag.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";
import { median, pairs, ratio } from "./table.ts";

const CONTESTANTS = ["raw-same", "sluice", "hono-etag", "express", "raw", "sluice-lean", "hono"] as const;
type Contestant = (typeof CONTESTANTS)[number];

/** Who is divided by whom, in the order of the table's columns. */
const COMPARED: readonly (readonly [of: Contestant, to: Contestant])[] = [
  ["sluice", "raw-same"],
  ["hono-etag", "raw-same"],
  ["express", "raw-same"],
  ["sluice-lean", "raw"],
  ["hono", "raw"],
];

const rounds = Number(flag("rounds") ?? 5);
const seconds = Number(flag("seconds") ?? 1);
const only = flag("only")?.split(",");
const scenarios = SCENARIOS.filter(({ name }) => only === undefined || only.includes(name));

/** Starts a server on the first processor, so that the load can have the second. */
async function start(contestant: Contestant, port: number): Promise<Deno.ChildProcess> {
  const script = new URL("serve.ts", import.meta.url).pathname;
  const child = new Deno.Command("taskset", {
    args: ["-c", "0", Deno.execPath(), "run", "-A", "--no-lock", script, contestant, String(port)],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { done } = await reader.read();
  reader.releaseLock();
  if (done) throw new Error(`${contestant} did not start`);
  return child;
}

async function measure(scenario: Scenario, port: number, lasting: number): Promise<number> {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  const lines = [`wrk.method = "${scenario.method}"`];
  if (scenario.body !== undefined) {
    lines.push(`wrk.body = '${scenario.body}'`, 'wrk.headers["Content-Type"] = "application/json"');
  }
  await Deno.writeTextFile(script, lines.join("\n"));
  const { stdout } = await new Deno.Command("taskset", {
    args: [
      ...["-c", "1", "wrk", "-t1", "-c50", `-d${lasting}s`, "-s", script],
      `http://127.0.0.1:${port}${scenario.path}`,
    ],
  }).output();
  await Deno.remove(script);
  const rate = new TextDecoder().decode(stdout).match(/Requests\/sec:\s+([\d.]+)/)?.[1];
  if (rate === undefined) throw new Error(`wrk said nothing about ${scenario.name}`);
  return Number(rate);
}

const servers: Deno.ChildProcess[] = [];
try {
  const ports = new Map<Contestant, number>();
  for (const [index, contestant] of CONTESTANTS.entries()) {
    ports.set(contestant, 8300 + index);
    servers.push(await start(contestant, 8300 + index));
  }
  console.log(`| scenario | Sluice / raw, same bytes | Hono + etag | Express | Sluice lean / raw | Hono |`);
  console.log("|---|---|---|---|---|---|");
  const logs: number[][] = COMPARED.map(() => []);
  for (const scenario of scenarios) {
    const rates = new Map<Contestant, number[]>(CONTESTANTS.map((contestant) => [contestant, []]));
    for (const contestant of CONTESTANTS) await measure(scenario, ports.get(contestant)!, 1);
    for (let round = 0; round < rounds; round++) {
      for (const contestant of CONTESTANTS) {
        rates.get(contestant)!.push(await measure(scenario, ports.get(contestant)!, seconds));
      }
    }
    COMPARED.forEach(([of, to], i) => logs[i]!.push(Math.log(median(pairs(rates, of, to)))));
    console.log(`| ${scenario.name} | ${COMPARED.map(([of, to]) => ratio(rates, of, to)).join(" | ")} |`);
  }
  const means = logs.map((values) =>
    Math.exp(values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)
  );
  console.log(`| geometric mean | ${means.join(" | ")} |`);
} finally {
  for (const server of servers) server.kill("SIGKILL");
  await Promise.all(servers.map((server) => server.status));
}
Deno.exit(0);

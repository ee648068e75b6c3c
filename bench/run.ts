/**
 * Compares Sluice with a handler written by hand, Hono and Express: requests per second as ratios, paired within
 * rounds of one run, because the speed of a machine drifts.
 *
 * `--rounds=5 --seconds=1 --only=JSON,404`; needs wrk (Debian package `wrk`).
 */
import { type Scenario, SCENARIOS } from "./scenarios.ts";

const CONTESTANTS = ["raw-same", "sluice", "hono-etag", "express", "raw", "sluice-lean", "hono"] as const;
type Contestant = (typeof CONTESTANTS)[number];

const rounds = Number(flag("rounds") ?? 5);
const seconds = Number(flag("seconds") ?? 1);
const only = flag("only")?.split(",");
const scenarios = SCENARIOS.filter(({ name }) => only === undefined || only.includes(name));

function flag(name: string): string | undefined {
  return Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

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

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function ratio(rates: Map<Contestant, number[]>, of: Contestant, to: Contestant): { mid: number; text: string } {
  const pairs = rates.get(of)!.map((rate, round) => rate / rates.get(to)![round]!);
  const mid = median(pairs);
  return { mid, text: `${mid.toFixed(2)} (${Math.min(...pairs).toFixed(2)}–${Math.max(...pairs).toFixed(2)})` };
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
  const logs: number[][] = [[], [], [], [], []];
  for (const scenario of scenarios) {
    const rates = new Map<Contestant, number[]>(CONTESTANTS.map((contestant) => [contestant, []]));
    for (const contestant of CONTESTANTS) await measure(scenario, ports.get(contestant)!, 1);
    for (let round = 0; round < rounds; round++) {
      for (const contestant of CONTESTANTS) {
        rates.get(contestant)!.push(await measure(scenario, ports.get(contestant)!, seconds));
      }
    }
    const cells = [
      ratio(rates, "sluice", "raw-same"),
      ratio(rates, "hono-etag", "raw-same"),
      ratio(rates, "express", "raw-same"),
      ratio(rates, "sluice-lean", "raw"),
      ratio(rates, "hono", "raw"),
    ];
    cells.forEach(({ mid }, i) => logs[i]!.push(Math.log(mid)));
    console.log(`| ${scenario.name} | ${cells.map(({ text }) => text).join(" | ")} |`);
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

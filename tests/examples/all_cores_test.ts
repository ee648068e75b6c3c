/** The setups in `docs/all-cores.md`: all processes respond, and each keeps its own counts. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { bundled } from "../contracts/bundled.ts";
import { BUN, NODE } from "../support/fault_servers.ts";
import { packageFlags } from "../support/node_program.ts";
import { startProgram } from "../support/program.ts";
import { ask } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = "examples/all-cores/";
const WORKERS = 4;

function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

/** Number of connections that each process has served. */
async function spread(port: number, connections: number): Promise<number[]> {
  const counts = new Map<string, number>();
  for (let i = 0; i < connections; i++) {
    const { worker } = JSON.parse(await ask({ port }, "/"));
    counts.set(worker, (counts.get(worker) ?? 0) + 1);
  }
  return [...counts.values()];
}

/** Checks that all processes respond, and that each has its own in-memory limit. */
async function assertSpread(port: number): Promise<void> {
  await until(async () => (await spread(port, 20 * WORKERS)).length === WORKERS, "all of them answer");
  let admitted = 0;
  for (let i = 0; i < 100 * WORKERS; i++) if ((await ask({ port }, "/limited")).includes("worker")) admitted++;
  assertEquals(admitted, 10 * WORKERS);
}

Deno.test("deno serve --parallel uses all cores", async () => {
  const port = freePort();
  const flags = [
    "--parallel",
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--quiet",
    ...await packageFlags("parallel"),
  ];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["serve", ...flags, "-A", `${FOLDER}app.ts`],
    cwd: ROOT,
    env: { DENO_JOBS: String(WORKERS) },
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await until(async () => (await ask({ port }, "/")).includes("worker"), "it answers");
    await assertSpread(port);
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
});

Deno.test("on Node, a cluster uses all cores", { ignore: NODE.missing }, async () => {
  const port = freePort();
  const program = await bundled(`${FOLDER}cluster.ts`, "deno");
  const env = { PORT: String(port), WORKERS: String(WORKERS) };
  await using first = await startProgram("node", [program], { cwd: ROOT, env });
  assertEquals(first.line, String(port));
  await assertSpread(port);
});

const SHARING: readonly [string, boolean, () => Promise<string[]>][] = [
  ["Deno", false, async () => {
    const flags = ["--unstable-net", "-A", "--quiet", ...await packageFlags("shared_port")];
    return [Deno.execPath(), "run", ...flags, `${FOLDER}shared_port.ts`];
  }],
  ["Bun", BUN.missing, async () => {
    const bun = `${Deno.env.get("SLUICE_RUNTIMES")}node_modules/.bin/bun`;
    return [bun, await bundled(`${FOLDER}shared_port.ts`)];
  }],
];

for (const [runtime, ignore, command] of SHARING) {
  Deno.test(`on ${runtime}, several processes share a port`, { ignore }, async () => {
    const port = freePort();
    const [program, ...args] = await command();
    await using processes = new AsyncDisposableStack();
    for (let i = 0; i < WORKERS; i++) {
      const started = await startProgram(program!, args, { cwd: ROOT, env: { PORT: String(port) } });
      processes.use(started);
      assertEquals(started.line, String(port));
    }
    await assertSpread(port);
  });
}

Deno.test("on Node before 22.12, a shared port is refused, and the error names a cluster", {
  ignore: NODE.missing,
}, async () => {
  const program = await bundled("tests/fixtures/limits/shared_port.ts", "deno");
  const { code, stdout, stderr } = await new Deno.Command("node", { args: [program] }).output();
  const [response, version] = new TextDecoder().decode(stdout).trim().split(" ");
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  const [major, minor] = version!.split(".").map(Number);
  const isOld = major! < 22 || major === 22 && minor! < 12 || major === 23 && minor! < 1;
  assertEquals(response, isOld ? "refused" : "shared");
  assert(version !== "");
});

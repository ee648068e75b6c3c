/**
 * Unmodified npm middleware for Express: every program in programs/ runs on Sluice under Deno, Node and Bun and on real
 * Express under Node, and gets the same requests. The results are a section in docs/ecosystem.md.
 */
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { askAll, type Exchanged } from "./support/ask_all.ts";
import { compare } from "./support/compare.ts";
import { startExpressHost } from "./support/express_host.ts";
import type { Host, Told } from "./support/host.ts";
import { lockedVersions } from "../../scripts/locked_packages.ts";
import { withSection } from "../../scripts/section.ts";
import { type Finding, middlewareSection } from "./support/page.ts";
import { type Difference, type Program, type Runtime, RUNTIMES } from "./support/program.ts";
import { assertSeen } from "./support/sees.ts";
import { startSluiceHost } from "./support/sluice_host.ts";
import { startUpstream } from "./support/upstream.ts";

const PAGE = new URL("../../docs/ecosystem.md", import.meta.url);

const names = Array.from(Deno.readDirSync(new URL("programs/", import.meta.url)), ({ name }) => name.slice(0, -3))
  .sort();
const programs = new Map<string, Program>();
for (const name of names) programs.set(name, await import(new URL(`programs/${name}.js`, import.meta.url).href));
const packagesOf = (name: string) => programs.get(name)!.packages ?? [name];

const redis = Deno.env.get("REDIS_URL");
const findings = new Map<string, Finding>();
const upstream = startUpstream();
const scratch = await Deno.makeTempDir({ prefix: "sluice-ecosystem-" });
const sluices = new Map<string, Promise<Host>>();
let express: Host;

// packages that need Deno flags get their own process, which shows that the other packages need none
function sluiceFor(runtime: Runtime, { flags = [] }: Program): Promise<Host> {
  const key = runtime === "Deno" ? ["Deno", ...flags].join(" ") : runtime;
  const started = sluices.get(key) ?? startSluiceHost(runtime, flags);
  sluices.set(key, started);
  return started;
}

Deno.test.beforeAll(async () => {
  if (redis === undefined) {
    throw new Error("REDIS_URL is not set; deno task test --only=tests/ecosystem starts a server");
  }
  await copyFiles(fileURLToPath(new URL("files", import.meta.url)), `${scratch}/files`);
  express = await startExpressHost(names.flatMap(packagesOf));
});

Deno.test.afterAll(async () => {
  for (const host of [express, ...await Promise.all(sluices.values())]) await host?.stop();
  await upstream.stop();
  await Deno.remove(scratch, { recursive: true });
});

// with times in whole seconds, which Deno and Node round differently
async function copyFiles(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFiles(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
    const then = new Date("2026-01-02T03:04:05Z");
    await Deno.utime(`${to}/${name}`, then, then);
  }
}

async function toldTo(name: string, side: string): Promise<Told> {
  const folder = `${scratch}/${name}-${side}`;
  await Deno.mkdir(folder);
  return {
    side,
    scratch: folder,
    files: `${scratch}/files`,
    redis: redis!,
    upstream: upstream.url,
    // only root may listen on this port
    nobody: "http://127.0.0.1:1",
  };
}

for (const [name, program] of programs) {
  Deno.test({
    name: program.title,
    // the processes outlive the test that started them
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const hosts = await Promise.all(RUNTIMES.map((runtime) => sluiceFor(runtime, program)));
      const asked = async (host: Host, side: string) =>
        askAll(await host.open(name, await toldTo(name, side)), program.requests);
      try {
        const [theirs, ...ours] = await Promise.all([
          asked(express, "Express"),
          ...hosts.map((host, index) => asked(host, RUNTIMES[index]!)),
        ]);
        const differing = RUNTIMES.map((runtime, index) => differencesOn(runtime, program, ours[index]!, theirs));
        findings.set(name, { packages: packagesOf(name), compared: theirs.length, differing, note: program.note });
      } finally {
        for (const host of [express, ...hosts]) await host.close(name);
      }
    },
  });
}

/** Asserts that responses equal Express's, except for known differences on a runtime, and returns those differences. */
function differencesOn(
  runtime: Runtime,
  program: Program,
  ours: readonly Exchanged[],
  theirs: readonly Exchanged[],
): Difference[] {
  return ours.flatMap((mine, index) => {
    assertSeen(mine);
    const { method = "GET", path, differs } = mine.ask;
    const known = differs !== undefined && (differs.on ?? RUNTIMES).includes(runtime) ? [differs] : [];
    const found = compare(mine, theirs[index]!, program, runtime);
    const where = `on ${runtime}, ${method} ${path}`;
    if (known.length === 0) assertEquals(found, [], where);
    const wanted = known.flatMap(({ parts }) => parts).sort();
    assertEquals(found.map(({ part }) => part).sort(), wanted, `${where} differs as it is known to`);
    return known;
  });
}

Deno.test("docs/ecosystem.md matches the results of this run", async () => {
  assertEquals([...findings.keys()], names, "every program must have run to its end");
  const committed = await Deno.readTextFile(PAGE);
  const page = withSection(committed, "middleware", middlewareSection([...findings.values()], await lockedVersions()));
  if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PAGE, page);
  else assertEquals(committed, page, "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/ecosystem");
});

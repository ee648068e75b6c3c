/**
 * npm's Express middleware, unmodified: every program in programs/ runs on Sluice and on real Express under Node, and
 * gets the same requests. What was found out becomes docs/ecosystem.md.
 */
import { assertEquals } from "@std/assert";
import { askAll } from "./support/ask_all.ts";
import { compare } from "./support/compare.ts";
import { startExpressHost } from "./support/express_host.ts";
import type { Host, Told } from "./support/host.ts";
import { lockedVersions } from "../../scripts/locked_packages.ts";
import { ecosystemPage, type Finding } from "./support/page.ts";
import type { Program } from "./support/program.ts";
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

// packages that need flags of Deno get a process of their own, so that the others are seen to need none
function sluiceFor({ flags = [] }: Program): Promise<Host> {
  const key = flags.join(" ");
  const started = sluices.get(key) ?? startSluiceHost(flags);
  sluices.set(key, started);
  return started;
}

Deno.test.beforeAll(async () => {
  if (redis === undefined) {
    throw new Error("REDIS_URL is not set; deno task test --only=tests/ecosystem starts a server");
  }
  await copyFiles(new URL("files", import.meta.url).pathname, `${scratch}/files`);
  express = await startExpressHost(names.flatMap(packagesOf));
});

Deno.test.afterAll(async () => {
  for (const host of [express, ...await Promise.all(sluices.values())]) await host?.stop();
  await upstream.stop();
  await Deno.remove(scratch, { recursive: true });
});

// times in whole seconds, for Deno and Node round them differently
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
    // nobody may listen on this port without being root
    nobody: "http://127.0.0.1:1",
  };
}

for (const [name, program] of programs) {
  Deno.test({
    name: program.title,
    // the processes outlive the test that needed them first
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const sluice = await sluiceFor(program);
      const ports = [
        await sluice.open(name, await toldTo(name, "sluice")),
        await express.open(name, await toldTo(name, "express")),
      ] as const;
      try {
        const [ours, theirs] = await Promise.all([
          askAll(ports[0], program.requests),
          askAll(ports[1], program.requests),
        ]);
        const differing: string[] = [];
        ours.forEach((mine, index) => {
          const { method = "GET", path, differs } = mine.ask;
          const found = compare(mine, theirs[index]!, program);
          if (differs === undefined) return assertEquals(found, [], `${method} ${path}`);
          assertEquals(
            found.map(({ part }) => part).sort(),
            differs.parts.toSorted(),
            `${method} ${path} differs as it is known to`,
          );
          differing.push(differs.why);
        });
        ours.forEach(assertSeen);
        findings.set(name, { packages: packagesOf(name), compared: ours.length, differing, note: program.note });
      } finally {
        await sluice.close(name);
        await express.close(name);
      }
    },
  });
}

Deno.test("docs/ecosystem.md says what this run found out", async () => {
  assertEquals([...findings.keys()], names, "every program must have run to its end");
  const page = ecosystemPage([...findings.values()], await lockedVersions());
  if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PAGE, page);
  const committed = await Deno.readTextFile(PAGE).catch(() => "");
  assertEquals(committed, page, "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/ecosystem");
});

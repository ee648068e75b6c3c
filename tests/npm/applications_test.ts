/** npm applications for Express, moved to Sluice by two lines in their `package.json`: both get the same requests. */
import { assertEquals } from "@std/assert";
import { askAll, type Exchanged } from "../ecosystem/support/ask_all.ts";
import { compare } from "../ecosystem/support/compare.ts";
import { withSection } from "../../scripts/section.ts";
import { askUntil } from "../support/node_servers.ts";
import { type Application, APPLICATIONS, applicationsSection } from "./support/applications.ts";
import { installWithNpm, makeProject, type Project } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { inFull } from "./support/tools.ts";

const PAGE = new URL("../../docs/ecosystem.md", import.meta.url);

if (inFull) {
  const registry = await startRegistry();
  globalThis.addEventListener("unload", () => void registry.stop());

  for (const [name, application] of Object.entries(APPLICATIONS)) {
    const { madeFor, masks, version } = application;
    Deno.test(`${name}, moved by its package.json alone, answers as on Express, but for what docs/ecosystem.md says`, async () => {
      const dependencies = { [name]: version };
      const original = await makeProject(registry, { dependencies });
      const moved = await makeProject(registry, {
        dependencies: { express: "npm:@sluice/sluice@^0.1.0", ...dependencies },
        overrides: { express: "$express" },
      });
      const theirs = await answersOf(original, application);
      const ours = await answersOf(moved, application);
      assertEquals(JSON.parse(await original.read(`node_modules/${name}/package.json`)).dependencies.express, madeFor);
      assertEquals(JSON.parse(await moved.read("node_modules/express/package.json")).name, "@sluice/sluice");
      const { output } = await moved.run("npm", "ls", "express", "--all");
      assertEquals(output.match(/express@(?!npm:@sluice)\S*/g), null, output);
      for (const [at, mine] of ours.entries()) {
        const { method = "GET", path, differs } = mine.ask;
        const found = compare(mine, theirs[at]!, { masks });
        const parts = found.map(({ part }) => part);
        assertEquals(parts, differs?.parts ?? [], `${method} ${path}: ${JSON.stringify(found)}`);
      }
    });
  }
}

Deno.test("docs/ecosystem.md says what is asked of applications, and what differs", async () => {
  const committed = await Deno.readTextFile(PAGE);
  const page = withSection(committed, "moved", applicationsSection());
  if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PAGE, page);
  else assertEquals(committed, page, "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/npm");
});

/** Installs an application, starts it on Node, sends it all requests, and stops it. */
async function answersOf(project: Project, { command, files = {}, asks }: Application): Promise<Exchanged[]> {
  await installWithNpm(project);
  for (const [file, text] of Object.entries(files)) await project.write(file, text);
  const port = freePort();
  const [program, ...args] = command(String(port));
  const served = new Deno.Command("node", {
    args: [program, ...args],
    cwd: project.path,
    env: { NODE_ENV: "development" },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  try {
    await askUntil(() => answers(`http://127.0.0.1:${port}/`), (isUp) => isUp);
    return await askAll(port, asks);
  } finally {
    served.kill("SIGKILL");
    await served.status;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

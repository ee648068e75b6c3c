/** The `@sluice/openapi` pages on each runtime with files; they come from the package installed next to the program. */
import { assertEquals } from "@std/assert";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { startProgram } from "../support/program.ts";

const viewer = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist"));
const PROGRAM = "tests/fixtures/openapi_pages.ts";

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test({
    name: `on ${name} the pages are those of the installed package`,
    ignore,
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        const [executable, ...args] = await command(PROGRAM);
        let cwd = Deno.cwd();
        if (name !== "Deno") {
          cwd = folder;
          // the program is in the folder, and the package next to it
          await Deno.copyFile(args.pop()!, `${folder}/program.mjs`);
          args.push(`${folder}/program.mjs`);
          assertEquals(await seenAt(executable, args, cwd), [404, 404, ["/notes/{id}"]]);
          await Deno.mkdir(`${folder}/node_modules`);
          await Deno.symlink(viewer, `${folder}/node_modules/swagger-ui-dist`);
        }
        assertEquals(await seenAt(executable, args, cwd), [200, 200, ["/notes/{id}"]]);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** Response statuses for the page and its largest file, and the document's paths. */
async function seenAt(executable: string, args: readonly string[], cwd: string): Promise<unknown[]> {
  await using program = await startProgram(executable, args, { cwd, env: { NODE_ENV: "test" } });
  const origin = `http://127.0.0.1:${program.line}/docs`;
  const statuses: number[] = [];
  for (const path of ["/", "/swagger-ui-bundle.js"]) {
    const response = await fetch(`${origin}${path}`);
    await response.bytes();
    statuses.push(response.status);
  }
  const { paths } = await (await fetch(`${origin}/openapi.json`)).json();
  return [...statuses, Object.keys(paths)];
}

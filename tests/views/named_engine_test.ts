import { assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";

/** Commands that start a program. */
const COMMANDS = [
  { name: "Node", command: "node", flags: [], ignore: skipNode },
  { name: "Deno", command: Deno.execPath(), flags: ["run", "-A", "--quiet", "--no-config"], ignore: false },
];

// a folder with a program, its view and its `node_modules`
async function installed(): Promise<string> {
  const folder = await Deno.makeTempDir();
  const engine = `${folder}/node_modules/beside`;
  await Deno.mkdir(engine, { recursive: true });
  await Deno.writeTextFile(`${engine}/index.js`, "exports.__express = (_, options, done) => done(null, 'rendered');");
  await Deno.writeTextFile(`${folder}/page.beside`, "");
  await Deno.copyFile(await bundleForNode("tests/fixtures/node/named_engine.ts"), `${folder}/program.mjs`);
  return folder;
}

// runs the program beside it in a context without dynamic imports, as Jest does
const CONFINED = `
  import { readFileSync } from "node:fs";
  import { SourceTextModule, SyntheticModule } from "node:vm";
  const url = new URL("program.mjs", import.meta.url);
  const program = new SourceTextModule(readFileSync(url, "utf8"), {
    initializeImportMeta: (meta) => void (meta.url = url.href),
  });
  await program.link(async (name) => {
    const found = await import(name);
    return new SyntheticModule(Object.keys(found), function () {
      for (const key of Object.keys(found)) this.setExport(key, found[key]);
    });
  });
  await program.evaluate();
`;

async function printed(command: string, args: string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(command, { args, cwd, env: { NODE_ENV: "test" } }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

for (const { name, command, flags, ignore } of COMMANDS) {
  Deno.test(`an engine given only by name is found beside the program, wherever ${name} was started`, {
    ignore,
  }, async () => {
    const folder = await installed();
    const elsewhere = await Deno.makeTempDir();
    // like npm's links to the commands of packages
    await Deno.symlink(`${folder}/program.mjs`, `${elsewhere}/command.mjs`);
    const run = (program: string, cwd: string) => printed(command, [...flags, program, folder], cwd);
    assertEquals(await run("program.mjs", folder), "rendered\n");
    assertEquals(await run(`${folder}/program.mjs`, elsewhere), "rendered\n");
    assertEquals(await run("command.mjs", elsewhere), "rendered\n");
    await Deno.remove(folder, { recursive: true });
    await Deno.remove(elsewhere, { recursive: true });
  });
}

Deno.test("an engine given only by name is found without dynamic imports, as in Jest", {
  ignore: skipNode,
}, async () => {
  const folder = await installed();
  await Deno.writeTextFile(`${folder}/confined.mjs`, CONFINED);
  const flags = ["--experimental-vm-modules", "--no-warnings"];
  assertEquals(await printed("node", [...flags, "confined.mjs", folder], folder), "rendered\n");
  await Deno.remove(folder, { recursive: true });
});

Deno.test(
  "an engine given only by name and not installed is an error that names it, even if Node has a module of that name",
  {
    ignore: skipNode,
  },
  async () => {
    const folder = await installed();
    for (const name of ["none", "url"]) {
      await Deno.writeTextFile(`${folder}/page.${name}`, "");
      assertEquals(
        await printed("node", ["program.mjs", folder, name], folder),
        `Cannot find package "${name}". Register one: app.engine("${name}", renderFile)\n`,
      );
    }
    await Deno.remove(folder, { recursive: true });
  },
);

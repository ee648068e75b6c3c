import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../../../", import.meta.url);

async function readJson(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(new URL(path, ROOT)));
}

async function examples(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL("examples/deploy/", ROOT))) {
    if (isDirectory) names.push(name);
  }
  return names.sort();
}

Deno.test("every example depends on the packages as users install them, in a version that has what it uses", async () => {
  const { version } = await readJson("deno.json");
  // below 1.0.0, a caret range allows only patches
  const range = `^${String(version).split(".").slice(0, 2).join(".")}.0`;
  const names = await examples();
  assertEquals(names, ["bun", "cloudflare", "deno-deploy", "lambda", "node-docker", "vercel"]);
  for (const name of names) {
    const folder = `examples/deploy/${name}/`;
    if (name === "deno-deploy") {
      assertEquals((await readJson(`${folder}deno.json`))["imports"], {
        "@sluice/rate-limit": `jsr:@sluice/rate-limit@${range}`,
        "@sluice/sluice": `jsr:@sluice/sluice@${range}`,
      });
      continue;
    }
    const { dependencies } = await readJson(`${folder}package.json`) as { dependencies: Record<string, string> };
    assertEquals([dependencies["@sluice/rate-limit"], dependencies["@sluice/sluice"]], [
      range,
      range,
    ], name);
  }
});

Deno.test("every example has a README, and both lists of examples link to it", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const list = await Deno.readTextFile(new URL("examples/deploy/README.md", ROOT));
  for (const name of await examples()) {
    assert((await Deno.stat(new URL(`examples/deploy/${name}/README.md`, ROOT))).isFile);
    assert(readme.includes(`(examples/deploy/${name})`), `README.md does not name ${name}`);
    assert(list.includes(`](${name})`), `examples/deploy/README.md does not name ${name}`);
  }
});

import { assertEquals } from "@std/assert";

async function manifest(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(new URL(`../../${path}`, import.meta.url)));
}

for (const folder of ["", "advanced/", "create/"]) {
  Deno.test(`${folder}jsr.json agrees with ${folder}deno.json, which publishing reads`, async () => {
    const deno = await manifest(`${folder}deno.json`);
    const { name, version, license, exports } = deno;
    assertEquals(await manifest(`${folder}jsr.json`), { name, version, license, exports });
  });
}

Deno.test("all packages include the license", async () => {
  const license = (folder: string) => Deno.readTextFile(new URL(`../../${folder}LICENSE`, import.meta.url));
  for (const folder of ["advanced/", "create/"]) assertEquals(await license(folder), await license(""));
  for (const path of ["deno.json", "advanced/deno.json", "create/deno.json"]) {
    const { publish } = await manifest(path) as { publish: { include: string[] } };
    assertEquals(publish.include.includes("LICENSE"), true, path);
  }
});

Deno.test("every entry is published", async () => {
  const { exports, publish } = await manifest("deno.json") as {
    exports: Record<string, string>;
    publish: { include: string[] };
  };
  const missing = Object.values(exports).filter((path) => !publish.include.includes(path.slice("./".length)));
  assertEquals(missing, []);
});

Deno.test("all packages have the same version", async () => {
  const { version } = await manifest("deno.json");
  for (const folder of ["advanced/", "create/"]) {
    assertEquals((await manifest(`${folder}deno.json`))["version"], version);
  }
});

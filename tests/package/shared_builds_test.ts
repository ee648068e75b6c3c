/** Packages are built once for all tests, and rebuilt as soon as that would make a difference. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { digestOfSources } from "../../scripts/built_from.ts";
import { run } from "../../scripts/process.ts";
import { type Checkout, copySources } from "../support/checkout.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Published files of every kind, and files that determine how they are built. */
const FILES = [
  "LICENSE",
  "README.md",
  "advanced/deno.json",
  "create/templates/runtimes/node/Dockerfile",
  "deno.lock",
  "express/lib/router/layer.ts",
  "middleware/src/sse/sse.ts",
  "mod.ts",
  "scripts/bundle.ts",
  "src/app/framework_app.ts",
  "tests/deno.lock",
];

const PROGRAM = `
  import { jsrPackages } from "./scripts/shared_builds.ts";
  console.log((await jsrPackages()).href);
`;

/** Returns the packages' folder to a program that needs them. */
async function folderFor({ path }: Checkout): Promise<string> {
  const args = ["run", "-A", "--quiet", "--no-check", "tests/program.ts"];
  const { code, output } = await run(Deno.execPath(), args, { limitMs: PATIENCE_MS, quiet: true, cwd: path });
  assertEquals(code, 0, output);
  return output.trim();
}

async function buildsIn({ folder }: Checkout): Promise<string[]> {
  const found = await Array.fromAsync(Deno.readDir(new URL(".cache/builds/", folder)), ({ name }) => name);
  return found.filter((name) => name.startsWith("jsr-")).sort();
}

Deno.test("programs that need the packages at the same time get one build, and a changed file makes another", async () => {
  await using checkout = await copySources();
  // left behind by an interrupted build
  const unfinished = new URL(".cache/builds/jsr-unfinished/", checkout.folder);
  await Deno.mkdir(unfinished, { recursive: true });
  await Deno.writeTextFile(new URL("left.txt", unfinished), "");
  await Deno.writeTextFile(new URL("tests/program.ts", checkout.folder), PROGRAM.replace("./", "../"));

  const [one, other] = await Promise.all([folderFor(checkout), folderFor(checkout)]);
  assertEquals(one, other);
  assertEquals((await buildsIn(checkout)).length, 1);
  const files = await Array.fromAsync(Deno.readDir(new URL(one)), ({ name }) => name);
  assertEquals(files.filter((name) => name === "left.txt" || name === "dist").join(), "dist");

  await Deno.writeTextFile(new URL("LICENSE", checkout.folder), "changed", { append: true });
  const changed = await folderFor(checkout);
  assertNotEquals(changed, one);
  assertEquals((await Deno.readTextFile(new URL("LICENSE", changed))).endsWith("changed"), true);
  assertEquals((await buildsIn(checkout)).length, 2);
});

Deno.test("every file that is published, or decides how, makes a difference", async () => {
  await using checkout = await copySources();
  const digests = new Set([await digestOfSources(checkout.folder)]);
  for (const file of FILES) {
    await Deno.writeTextFile(new URL(file, checkout.folder), "\n", { append: true });
    digests.add(await digestOfSources(checkout.folder));
  }
  await Deno.rename(new URL("LICENSE", checkout.folder), new URL("COPYING", checkout.folder));
  digests.add(await digestOfSources(checkout.folder));
  assertEquals(digests.size, FILES.length + 2);
});

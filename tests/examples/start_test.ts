/** A newcomer's first download: the demo and its API pages, on a machine with nothing but Deno. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { linesOf } from "../../scripts/lines.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Maximum download: a third more packages than today, and twice their unpacked size. */
const MOST = { packages: 40, megabytes: 20 };

/** The package that only the API pages need, as large as everything else. */
const VIEWER = "swagger-ui-dist";

const ADVICE = "deno.json names what the packages and the demo need, and Deno downloads all of it before it starts a " +
  "task; whatever else this repository imports belongs into tests/deno.json";

/** Files in a folder, with their sizes in bytes. */
async function filesIn(folder: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (!isDirectory) found.set(path, (await Deno.stat(path)).size);
    else for (const [inside, size] of await filesIn(path)) found.set(inside, size);
  }
  return found;
}

function packagesIn(files: ReadonlyMap<string, number>): string[] {
  return [...files.keys()].flatMap((path) =>
    path.match(/\/npm\/[^/]+\/((?:@[^/]+\/)?[^/]+)\/[^/]+\/package\.json$/)?.[1] ?? []
  );
}

Deno.test("with empty caches, the README's command starts the demo after few downloads", async () => {
  const readme = await Deno.readTextFile(`${ROOT}README.md`);
  const [, command] = readme.match(/\| start the demo \| `npx -y deno@[\d.]+ ([^`]+)`/)!;
  const cache = await Deno.makeTempDir();
  const child = new Deno.Command(Deno.execPath(), {
    args: command!.split(" "),
    cwd: ROOT,
    env: { DENO_DIR: cache, PORT: "0" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  let files = new Map<string, number>();
  let later: readonly string[] = [];
  const timer = setTimeout(() => child.kill("SIGTERM"), PATIENCE_MS);
  try {
    const { value: line } = await linesOf(child.stdout).next();
    const [, url] = line?.match(/^The demo listens on (\S+)$/) ?? [];
    if (url === undefined) throw new Error(`it did not start: ${await errors}`);
    const page = await fetch(url);
    await page.body?.cancel();
    assertEquals(page.status, 200);
    files = await filesIn(`${cache}/npm`);
    const docs = await fetch(new URL("/docs/", url));
    await docs.body?.cancel();
    assertEquals(docs.status, 200);
    later = packagesIn(await filesIn(`${cache}/npm`));
  } finally {
    clearTimeout(timer);
    // Deno passes it on to the task's processes
    child.kill("SIGTERM");
    await child.status;
    await errors;
  }
  await Deno.remove(cache, { recursive: true });
  const packages = packagesIn(files);
  const megabytes = files.values().reduce((sum, size) => sum + size, 0) / 1e6;
  assert(packages.includes("ejs"), `no package was found in ${[...files.keys()]}`);
  assertEquals([packages.includes(VIEWER), later.includes(VIEWER)], [false, true]);
  assert(
    packages.length <= MOST.packages && megabytes <= MOST.megabytes,
    `${packages.length} packages, ${megabytes.toFixed(1)} MB: ${packages.sort().join(", ")}; ${ADVICE}`,
  );
});

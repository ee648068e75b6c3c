/** The program's output and effects for everything its users may type. */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { packageFlags, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import {
  askProgram,
  type Ended,
  hasTerminal,
  installProgram,
  type RunOptions,
  runProgram,
} from "./support/installed_program.ts";

const program = skipNode ? "" : await installProgram();
const { version } = JSON.parse(await Deno.readTextFile(new URL("../../create/deno.json", import.meta.url)));

/** All choices except the folder. */
const API = ["--runtime", "node", "--template", "api"];

/** A temporary folder for one test. */
class Place implements AsyncDisposable {
  constructor(readonly path: string) {}

  run(args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ended> {
    return runProgram(program, args, { cwd: this.path, ...options });
  }

  /** All files and folders in it, with contents. */
  async contents(below = ""): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for await (const { name, isDirectory } of Deno.readDir(`${this.path}/${below}`)) {
      const path = `${below}${name}`;
      if (isDirectory) Object.assign(found, { [`${path}/`]: "" }, await this.contents(`${path}/`));
      else found[path] = await Deno.readTextFile(`${this.path}/${path}`).catch(({ name }) => name);
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.chmod(this.path, 0o755);
    await Deno.remove(this.path, { recursive: true });
  }
}

async function makePlace(files: Record<string, string> = {}): Promise<Place> {
  const path = await Deno.makeTempDir({ prefix: "sluice-place-" });
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${name}`.replace(/[^/]*$/, ""), { recursive: true });
    if (!name.endsWith("/")) await Deno.writeTextFile(`${path}/${name}`, text);
  }
  return new Place(path);
}

/** Asserts that the program refused with one line of output, and changed nothing. */
async function assertRefused(place: Place, args: readonly string[], what: RegExp, options: Partial<RunOptions> = {}) {
  const before = await place.contents();
  const { code, stdout, stderr } = await place.run(args, options);
  assertMatch(stderr, what);
  assertEquals([code, stdout, stderr.split("\n").length], [1, "", 2], stderr);
  assertEquals(await place.contents(), before);
}

const REFUSED: readonly { name: string; args: readonly string[]; what: RegExp }[] = [
  {
    name: "an unknown flag",
    args: ["app", "--color", ...API],
    what: /'--color'; the options are --runtime, --template/,
  },
  { name: "a flag without a value", args: ["app", "--runtime"], what: /'--runtime <value>' argument missing/ },
  { name: "a second folder", args: ["my", "app", ...API], what: /only one folder, not my and app; quote/ },
  {
    name: "an unknown runtime",
    args: ["app", "--runtime", "php"],
    what: /no runtime "php"; --runtime accepts node, deno, bun, workers/,
  },
  {
    name: "an unknown template",
    args: ["app", "--template", "blog"],
    what: /no template "blog"; --template accepts api, views/,
  },
  {
    name: "a template that does not run on Workers",
    args: ["app", "--runtime", "workers", "--template", "views"],
    what: /"views" does not run on workers, but on node, deno, bun; for workers, the template is "worker"/,
  },
  {
    name: "Workers' template on another runtime",
    args: ["app", "--runtime", "node", "--template", "worker"],
    what: /"worker" does not run on node, but on workers$/m,
  },
  {
    name: "a name with a capital letter",
    args: ["MyApp", ...API],
    what: /"MyApp" cannot be .* capital letters; choose/,
  },
  { name: "a name with spaces", args: ["my app", ...API], what: /"my app" cannot be the name of a package/ },
  { name: "a name that npm reserves", args: ["node_modules", ...API], what: /"node_modules" .*; choose another/ },
  {
    name: "nobody to ask",
    args: [],
    what: /pass the folder and --runtime .* and --template \(api, views, websocket, worker\)/,
  },
  {
    name: "nobody to ask for the template",
    args: ["app", "--runtime", "bun"],
    what: /pass --template \(api, views, websocket\)$/m,
  },
];

for (const { name, args, what } of REFUSED) {
  Deno.test(`${name} is refused, with what to do instead`, { ignore: skipNode }, async () => {
    await using place = await makePlace();
    await assertRefused(place, args, what);
  });
}

Deno.test("a folder with files is left as it is", { ignore: skipNode }, async () => {
  await using place = await makePlace({ "app/src/app.ts": "mine" });
  await assertRefused(
    place,
    ["app", ...API],
    /^app is not empty, it has src; nothing was changed, choose another folder$/m,
  );
  await assertRefused(place, [".", ...API], /^\. is not empty/);
});

Deno.test("a file in the way is left as it is", { ignore: skipNode }, async () => {
  await using place = await makePlace({ app: "mine" });
  await assertRefused(place, ["app", ...API], /^app is a file; nothing was changed, choose another folder$/m);
  await assertRefused(place, ["app/inside", ...API], /app is a file, so there can be no folder in it/);
});

Deno.test("a link that leads nowhere is left as it is", { ignore: skipNode }, async () => {
  await using place = await makePlace();
  await Deno.symlink(`${place.path}/nowhere`, `${place.path}/app`);
  await assertRefused(place, ["app", ...API], /^app is a broken link; nothing was changed/);
  assertEquals(await Deno.readLink(`${place.path}/app`), `${place.path}/nowhere`);
});

Deno.test("a folder that may not be written to is said to be one", { ignore: skipNode }, async () => {
  await using place = await makePlace({ "app/": "" });
  await Deno.chmod(`${place.path}/app`, 0o555);
  await Deno.chmod(place.path, 0o555);
  // root may write anywhere
  const uid = Deno.uid() === 0 ? 65534 : undefined;
  const what =
    /cannot be written: no permission to write there \(EACCES\), choose another folder; nothing was changed$/m;
  for (const folder of ["new", "deep/inside", "app"]) await assertRefused(place, [folder, ...API], what, { uid });
});

Deno.test("a project that cannot be completed leaves nothing behind", { ignore: skipNode }, async () => {
  await using place = await makePlace({ "app/": "" });
  for (const folder of ["app", "new", "deep/inside"]) {
    await assertRefused(place, [folder, ...API], /cannot be written: EFBIG.*; nothing was changed$/m, {
      fileBlocks: 1,
    });
  }
});

Deno.test("an empty folder is filled, and so is a new repository", { ignore: skipNode }, async () => {
  await using place = await makePlace({ "empty/": "", "cloned/.git/config": "mine" });
  for (const folder of ["empty", "cloned", "deep/inside"]) {
    const { code, stderr } = await place.run([folder, ...API]);
    assertEquals([code, stderr], [0, ""]);
    assertStringIncludes(
      await Deno.readTextFile(`${place.path}/${folder}/package.json`),
      `"name": "${folder.split("/").at(-1)}"`,
    );
  }
  const contents = await place.contents();
  assertEquals(contents["cloned/.git/config"], "mine");
  assertEquals(Object.keys(contents).filter((path) => path.includes(".create-sluice")), []);
});

Deno.test("the working directory is filled, and the next steps do not leave it", { ignore: skipNode }, async () => {
  await using place = await makePlace({ "app/": "" });
  const { code, stdout } = await place.run([".", ...API], { cwd: `${place.path}/app` });
  assertEquals(code, 0);
  assertMatch(stdout, /\n\n {2}npm install\n {2}npm test\n {2}npm run dev\n$/);
  assert((await Deno.stat(`${place.path}/app/src/app.ts`)).isFile);
});

Deno.test("the template of Workers needs no runtime, and their runtime no template", { ignore: skipNode }, async () => {
  await using place = await makePlace();
  assertEquals((await place.run(["one", "--template", "worker"])).code, 0);
  assertEquals((await place.run(["two", "--runtime", "workers"])).code, 0);
  const config = async (name: string) => await Deno.readTextFile(`${place.path}/${name}/wrangler.jsonc`);
  assertEquals(await config("two"), (await config("one")).replace(`"name": "one"`, `"name": "two"`));
});

Deno.test("--help names all there is, and --version is the package's", { ignore: skipNode }, async () => {
  await using place = await makePlace();
  const { code, stdout } = await place.run(["--help"]);
  assertEquals(code, 0);
  for (const name of ["node", "deno", "bun", "workers", "api", "views", "websocket", "worker", "--version"]) {
    assertStringIncludes(stdout, name);
  }
  assertEquals(await place.run(["--version"]), { code: 0, stdout: `${version}\n`, stderr: "" });
  assertEquals(await place.contents(), {});
});

Deno.test("on Deno, it needs to read and to write, and says so", async () => {
  await using place = await makePlace();
  const source = fileURLToPath(new URL("../../create/mod.ts", import.meta.url));
  const onDeno = async (...permissions: string[]) => {
    const args = [
      "run",
      "--quiet",
      "--no-prompt",
      ...await packageFlags("create"),
      ...permissions,
      source,
      "app",
      ...API,
    ];
    return await run(Deno.execPath(), args, { limitMs: PATIENCE_MS, quiet: true, cwd: place.path });
  };
  const refused = await onDeno("--allow-read");
  assertEquals(refused.code, 1);
  assertMatch(refused.output, /^app cannot be written: Requires write access .*; nothing was changed\n$/);
  assertEquals(await place.contents(), {});
  assertEquals((await onDeno("--allow-read", "--allow-write")).code, 0);
});

const DOWN = "\x1b[B";

Deno.test("in a terminal, it asks for what is missing", { ignore: skipNode || !hasTerminal }, async () => {
  await using place = await makePlace({ "taken/mine.txt": "mine" });
  const { code, printed } = await askProgram(program, [], place.path, [
    ["In which folder?", "taken\r"],
    ["taken is not empty", ""],
    ["In which folder?", "shop\r"],
    ["Which template?", `${DOWN}\r`],
    ["For which runtime?", "\r"],
  ]);
  assertEquals(code, 0, printed);
  assertStringIncludes(await Deno.readTextFile(`${place.path}/shop/package.json`), `"tsx watch`);
  assert((await Deno.stat(`${place.path}/shop/views/index.ejs`)).isFile);
});

Deno.test("in a terminal, it asks for nothing else", { ignore: skipNode || !hasTerminal }, async () => {
  await using place = await makePlace();
  const { code, printed } = await askProgram(program, ["shop", "--runtime", "deno"], place.path, [[
    "Which template?",
    "\r",
  ]]);
  assertEquals(code, 0, printed);
  assert(!/folder\?|runtime\?/.test(printed), printed);
  assert((await Deno.stat(`${place.path}/shop/deno.json`)).isFile);
});

Deno.test("Ctrl-C ends it without a trace", { ignore: skipNode || !hasTerminal }, async () => {
  await using place = await makePlace();
  const { code, printed } = await askProgram(program, ["shop"], place.path, [["Which template?", "\x03"]]);
  assertEquals(code, 1);
  assertStringIncludes(printed, "Nothing was written");
  assertEquals(await place.contents(), {});
});

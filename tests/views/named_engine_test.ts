import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { bundleForNode, packageFlags, skipNode } from "../support/node_program.ts";

const PROGRAM = "tests/fixtures/named_views.ts";
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const runtimes = Deno.env.get("SLUICE_RUNTIMES");

/** Commands that start a program, each with code that makes its runtime download a package, if it can. */
const COMMANDS = [
  { name: "Node", command: "node", flags: [], ignore: skipNode, downloads: null },
  {
    name: "Deno",
    command: Deno.execPath(),
    flags: ["run", "-A", "--quiet"],
    ignore: false,
    downloads: 'await import("npm:" + "is-odd")',
  },
  {
    name: "Bun",
    command: `${runtimes}node_modules/.bin/bun`,
    flags: [],
    ignore: runtimes === undefined,
    downloads: 'await import("is-" + "odd")',
  },
];

/** A registry with no packages that records its requests. */
class Registry implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly #server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    this.asked.push(new URL(url).pathname);
    return new Response("{}", { status: 404 });
  });

  /** Variables that make a runtime use this registry, with an empty cache. */
  env(cache: string): Record<string, string> {
    const url = `http://127.0.0.1:${this.#server.addr.port}/`;
    return {
      NPM_CONFIG_REGISTRY: url,
      BUN_CONFIG_REGISTRY: url,
      DENO_DIR: `${cache}/deno`,
      BUN_INSTALL_CACHE_DIR: `${cache}/bun`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** A folder with a program and its views, next to a folder with other files. */
class Installation implements AsyncDisposable {
  readonly folder: string;
  readonly views: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.views = `${folder}/views`;
  }

  static async make(): Promise<Installation> {
    // macOS's temporary folders are behind a link
    const made = new Installation(await Deno.realPath(await Deno.makeTempDir()));
    await Deno.copyFile(await bundleForNode(PROGRAM), `${made.folder}/program.mjs`);
    for (const path of ["views", "other", "views2"]) await Deno.mkdir(`${made.folder}/${path}`);
    for (const path of ["views/page", "views/index", "other/page", "views2/page", "index"]) {
      for (const extension of ["beside", "is-odd", "harm"]) {
        await Deno.writeTextFile(`${made.folder}/${path}.${extension}`, path);
      }
    }
    await Deno.symlink("../other", `${made.views}/linked`);
    return made;
  }

  /** Installs an engine, and a package that reports when it is loaded. */
  async install(): Promise<void> {
    await this.#package("beside", "exports.__express = (path, _, done) => done(null, `rendered ${path}`);");
    await this.#package("harm", "console.log('HARM');");
  }

  async #package(name: string, code: string): Promise<void> {
    await Deno.mkdir(`${this.folder}/node_modules/${name}`, { recursive: true });
    await Deno.writeTextFile(`${this.folder}/node_modules/${name}/package.json`, JSON.stringify({ name }));
    await Deno.writeTextFile(`${this.folder}/node_modules/${name}/index.js`, code);
  }

  /** Everything in the folder, except the runtime's own cache. */
  async files(folder = this.folder): Promise<string[]> {
    const found: string[] = [];
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      found.push(path, ...isDirectory && name !== "cache" ? await this.files(path) : []);
    }
    return found.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function printed(command: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const all = { NODE_ENV: "test", ...env };
  const { stdout, stderr } = await new Deno.Command(command, { args, cwd, env: all, stdin: "null" }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

for (const { name, command, flags, ignore, downloads } of COMMANDS) {
  const run = async (at: Installation, args: string[], env?: Record<string, string>) =>
    JSON.parse(await printed(command, [...flags, "program.mjs", ...args], at.folder, env)) as Record<string, string>;

  Deno.test(`the package that "view engine" names is found beside the program, wherever ${name} was started`, {
    ignore,
  }, async () => {
    await using at = await Installation.make();
    await at.install();
    const elsewhere = await Deno.makeTempDir();
    // like npm's links to packages' commands
    await Deno.symlink(`${at.folder}/program.mjs`, `${elsewhere}/command.mjs`);
    const expected = `${JSON.stringify({ page: `rendered ${at.views}/page.beside` })}\n`;
    const started = (program: string, cwd: string) =>
      printed(command, [...flags, program, at.views, "beside", "page"], cwd);
    assertEquals(await started("program.mjs", at.folder), expected);
    assertEquals(await started(`${at.folder}/program.mjs`, elsewhere), expected);
    assertEquals(await started("command.mjs", elsewhere), expected);
    await Deno.remove(elsewhere, { recursive: true });
  });

  Deno.test(`on ${name}, no extension of a view but that of "view engine" becomes a package`, { ignore }, async () => {
    await using at = await Installation.make();
    await at.install();
    await using registry = new Registry();
    const before = await at.files();
    const loaders = [
      "page.harm",
      "page.is-odd",
      "none.is-odd",
      "page.fs",
      "page.node:fs",
      "page.npm:is-odd",
      "page.x@1",
    ];
    const env = registry.env(`${at.folder}/cache`);
    const outcomes = await run(at, [at.views, "beside", ...loaders, "page.BESIDE"], env);
    for (const [view, outcome] of Object.entries(outcomes)) {
      assertStringIncludes(
        outcome,
        `Cannot find module '${
          view.slice(view.indexOf(".") + 1)
        }'. The extension of the view "${view}" does not provide ` +
          'a view engine: it is neither that of "view engine", .beside, nor that of a registered engine.',
      );
    }
    assertEquals(Object.keys(outcomes).length, 8);
    const without = await run(at, [at.views, "", "page.beside"], env);
    assertStringIncludes(without["page.beside"]!, `"view engine", which is not set, nor that of a registered engine`);
    assertEquals([registry.asked, (await at.files()).filter((path) => !path.endsWith("/cache"))], [[], before]);
  });

  Deno.test(
    `on ${name}, a view lies inside the folder of the views, or is given by its absolute path`,
    { ignore },
    async () => {
      await using at = await Installation.make();
      await at.install();
      const { views, folder } = at;
      const inside = ["page", "./page.beside", "linked/../page", `${views}/page.beside`, "linked/page", "."];
      const given = [`${folder}/other/page.beside`, `${folder}/other/page`, `${folder}/views/linked/../../views2/page`];
      const outside = [
        "../other/page",
        "../views2/page",
        "../other/page.beside",
        "linked/../../other/page",
        // as a folder with an index
        "..",
        "linked/../..",
      ];
      const outcomes = await run(at, [views, "beside", ...inside, ...given, ...outside]);
      assertEquals(inside.map((view) => outcomes[view]), [
        `rendered ${views}/page.beside`,
        `rendered ${views}/page.beside`,
        `rendered ${views}/page.beside`,
        `rendered ${views}/page.beside`,
        `rendered ${views}/linked/page.beside`,
        `rendered ${views}/index.beside`,
      ]);
      assertEquals(given.map((view) => outcomes[view]), [
        `rendered ${folder}/other/page.beside`,
        `rendered ${folder}/other/page.beside`,
        `rendered ${folder}/views2/page.beside`,
      ]);
      for (const view of outside) {
        assertStringIncludes(outcomes[view]!, `Failed to lookup view "${view}" in views directory "${views}"`);
      }
      assertStringIncludes(
        outcomes["../other/page"]!,
        `; "${folder}/other/page.beside" is not inside; set "views" to its folder`,
      );
    },
  );

  Deno.test(`on ${name}, a typing error in "view engine" downloads nothing, even if there is no node_modules`, {
    ignore,
  }, async () => {
    await using at = await Installation.make();
    await using registry = new Registry();
    // with a lock file and a declared package; Deno would complete both
    await Deno.writeTextFile(`${at.folder}/deno.json`, '{"imports":{"is-odd":"npm:is-odd@3"}}');
    await Deno.writeTextFile(`${at.folder}/deno.lock`, '{"version":"5"}\n');
    await Deno.writeTextFile(`${at.folder}/package.json`, '{"dependencies":{"is-odd":"3"}}');
    const before = await at.files();
    const env = registry.env(`${at.folder}/cache`);
    for (const engine of ["is-odd", "esj", ".is-odd", "npm:is-odd", "fs", "node:fs", "../other", "./views/page"]) {
      const outcomes = await run(at, [at.views, engine, "page", "page.is-odd"], env);
      for (const outcome of Object.values(outcomes)) assertMatch(outcome, /^(?:Cannot find module|Failed to lookup) /);
    }
    const { "page.is-odd": typo } = await run(at, [at.views, "is-odd", "page.is-odd"], env);
    assertStringIncludes(
      typo!,
      `Cannot find module 'is-odd'. "view engine" names it, and packages are not downloaded for views. Check its ` +
        'name, install it. Or register an engine: app.engine("is-odd", renderFile)',
    );
    assertEquals([registry.asked, (await at.files()).filter((path) => !path.endsWith("/cache"))], [[], before]);
    assertEquals(await Deno.readTextFile(`${at.folder}/deno.lock`), '{"version":"5"}\n');
  });

  // so the tests above cannot pass because the registry is never used
  if (downloads === null) continue;
  Deno.test(`the registry of these tests hears of what ${name} does download`, { ignore }, async () => {
    const folder = await Deno.makeTempDir();
    await using registry = new Registry();
    await Deno.writeTextFile(`${folder}/download.mjs`, downloads);
    await printed(command, [...flags, "download.mjs"], folder, registry.env(`${folder}/cache`));
    assert(registry.asked.includes("/is-odd"), String(registry.asked));
    await Deno.remove(folder, { recursive: true });
  });
}

Deno.test("on Deno, a package that the program's deno.json names is an engine if it has been installed", async () => {
  const views = `${ROOT}tests/fixtures/views`;
  const args = ["run", "-A", "--quiet", ...await packageFlags("named_views"), PROGRAM, views, "ejs", "page"];
  assertStringIncludes(await printed(Deno.execPath(), args, ROOT), "title is not defined");
});

// runs the program next to it in a context without dynamic imports, as Jest does
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

Deno.test("an installed engine is found without dynamic imports, as in Jest", { ignore: skipNode }, async () => {
  await using at = await Installation.make();
  await at.install();
  await Deno.writeTextFile(`${at.folder}/confined.mjs`, CONFINED);
  const args = ["--experimental-vm-modules", "--no-warnings", "confined.mjs", at.views, "beside", "page"];
  const expected = `${JSON.stringify({ page: `rendered ${at.views}/page.beside` })}\n`;
  assertEquals(await printed("node", args, at.folder), expected);
});

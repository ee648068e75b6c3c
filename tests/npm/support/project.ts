/** Projects like a user's: an empty folder where this repository's packages are installed. */
import { type Finished, run } from "../../../scripts/process.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import type { Registry } from "./registry.ts";

const ROOT = new URL("../../../", import.meta.url);

export interface Project {
  /** Path of its folder, with a trailing slash. */
  readonly path: string;
  write(name: string, text: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Runs a program in it. */
  run(program: string, ...args: string[]): Promise<Finished>;
}

/**
 * Makes a project outside this repository, where other packages would be found.
 *
 * @param registry Source of its packages
 * @param manifest Its `package.json`
 * @returns The project; nothing is installed yet
 */
export async function makeProject(registry: Registry, manifest: object): Promise<Project> {
  const path = `${await Deno.makeTempDir()}/`;
  const write = (name: string, text: string) => Deno.writeTextFile(`${path}${name}`, text);
  await write("package.json", JSON.stringify({ private: true, ...manifest }));
  return {
    path,
    write,
    read: (name) => Deno.readTextFile(`${path}${name}`),
    run: (program, ...args) => {
      // caches keyed by name and version would return an earlier build
      const caches = {
        DENO_DIR: `${path}.deno/`,
        BUN_INSTALL_CACHE_DIR: `${path}.bun/`,
        YARN_CACHE_FOLDER: `${path}.yarn/`,
      };
      const env = { ...registry.env, ...caches, NO_COLOR: "1" };
      // an installation takes longer than most programs
      const limitMs = args[0] === "install" || args[0] === "add" ? 4 * PATIENCE_MS : PATIENCE_MS;
      return run(program, args, { limitMs, quiet: true, cwd: path, env });
    },
  };
}

/**
 * Installs a project's packages with npm.
 *
 * @param project The project
 * @param packages Packages to add
 * @throws {Error} If npm fails
 */
export async function installWithNpm(project: Project, ...packages: string[]): Promise<string> {
  const { code, output } = await project.run(
    "npm",
    "install",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    ...packages,
  );
  if (code !== 0) throw new Error(output);
  return output;
}

/** The README's first program, which listens on a free port, sends itself a request, prints the response and closes. */
export async function readmesProgram(): Promise<string> {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const [, program] = readme.match(/^```ts\n(.*?)^```/ms) ?? [];
  if (!program?.includes("app.listen(3000);")) throw new Error("the README does not begin with a program that listens");
  return `${program.replace("app.listen(3000);", "const server = app.listen(0, asked);")}
async function asked() {
  const response = await fetch(\`http://127.0.0.1:\${server.address().port}/api/users/7\`);
  console.log(response.status, await response.text(), response.headers.get("x-ratelimit-limit"));
  await app.close();
}
`;
}

/** Output of {@linkcode readmesProgram}. */
export const README_ANSWER = '200 {"id":"7"} 100';

/** Finds the DefinitelyTyped tests on this machine. */
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { PINNED, type Pinned, REPOSITORY } from "./pins.ts";

const CLONE = new URL("../../.cache/definitely_typed/repository/", import.meta.url);
const FETCH_MS = 300_000;

/**
 * Reads the tests from a folder with the repository's layout.
 *
 * @param folder The folder
 * @returns Their contents, by path
 * @throws {Error} If a test is missing
 */
export async function readTests(folder: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { path, commit } of PINNED) {
    const text = await Deno.readTextFile(`${folder}/${path}`).catch((cause) => {
      throw new Error(`${folder} has no ${path}, which is taken from commit ${commit} of ${REPOSITORY}`, { cause });
    });
    texts.set(path, text);
  }
  return texts;
}

/**
 * Checks out only the pinned files; the repository has hundreds of thousands.
 *
 * @returns Path of a folder with the repository's layout
 * @throws {Error} If git fails
 */
export async function checkOutTests(): Promise<string> {
  const folder = fileURLToPath(CLONE);
  await Deno.mkdir(folder, { recursive: true });
  await git(folder, "init", "--quiet");
  for (const { path, commit } of PINNED) {
    await git(folder, "fetch", "--quiet", "--depth=1", "--filter=blob:none", REPOSITORY, commit);
    // this fetches the one file
    await git(
      folder,
      "-c",
      `remote.origin.url=${REPOSITORY}`,
      "-c",
      "remote.origin.promisor=true",
      ...shown({ path, commit }),
    );
  }
  return folder;
}

function shown({ path, commit }: Pinned): string[] {
  return ["checkout", "--quiet", commit, "--", path];
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const { code, output } = await run("git", args, { limitMs: FETCH_MS, quiet: true, cwd: folder });
  if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${output}`);
}

/** The program as `npm create sluice` installs it. */
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/process.ts";
import { npmPackages } from "../../../scripts/shared_builds.ts";
import { done } from "../../examples/deploy/packages.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

/** The program's exit code and output. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Run options. */
export interface RunOptions {
  /** Folder it runs in. */
  readonly cwd: string;
  /** The user it runs as, if not the tests' user. */
  readonly uid?: number | undefined;
  /** Maximum size of a file it may write, in blocks of `ulimit`. */
  readonly fileBlocks?: number;
}

/**
 * Installs the program in a new world-readable folder.
 *
 * @returns Path of the program
 */
export async function installProgram(): Promise<string> {
  const { program: { tarball } } = await npmPackages();
  const folder = await Deno.makeTempDir({ prefix: "sluice-create-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  await Deno.chmod(folder, 0o755);
  await Deno.writeTextFile(`${folder}/package.json`, `{ "private": true }`);
  await done("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", fileURLToPath(tarball)], folder);
  return `${folder}/node_modules/create-sluice/dist/create.js`;
}

/**
 * Runs it on Node, without a terminal.
 *
 * @param program Its path
 * @param args Its arguments
 * @param options Folder, user and file size
 */
export async function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, uid, fileBlocks } = options;
  const limit = fileBlocks === undefined ? "" : `ulimit -f ${fileBlocks}; `;
  const child = new Deno.Command("sh", {
    args: ["-c", `${limit}exec node "$0" "$@"`, program, ...args],
    cwd,
    ...(uid === undefined ? {} : { uid }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** Whether Linux's version of `script` is installed, which gives a program a terminal. */
export const hasTerminal: boolean = Deno.build.os === "linux" &&
  (await run("script", ["--version"], { limitMs: PATIENCE_MS, quiet: true })).code === 0;

/**
 * Runs it on Node in a terminal, and answers its prompts.
 *
 * @param program Its path
 * @param args Its arguments
 * @param cwd Folder it runs in
 * @param responses Strings to wait for, in order, with the input to type after each
 * @returns Its exit code and everything it printed
 */
export async function askProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  responses: readonly (readonly [after: string, typed: string])[],
): Promise<{ code: number; printed: string }> {
  // a new terminal is zero columns wide
  const command = ["stty cols 80 rows 24; exec node", program, ...args].join(" ");
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", command, "/dev/null"],
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).spawn();
  const keyboard = child.stdin.getWriter();
  const waiting = [...responses];
  let printed = "";
  let seen = 0;
  const found = () => waiting.length > 0 ? printed.indexOf(waiting[0]![0], seen) : -1;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    // one chunk may contain several strings
    for (let at = found(); at >= 0; at = found()) {
      const [after, typed] = waiting.shift()!;
      seen = at + after.length;
      await keyboard.write(new TextEncoder().encode(typed));
    }
  }
  const { code } = await child.status;
  await keyboard.close().catch(() => {});
  return { code, printed };
}

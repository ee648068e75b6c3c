/** Exit code of a process ended by its time limit. */
export const TOO_LATE = 124;

/** How a process ended. */
export interface Finished {
  /** Exit code; {@linkcode TOO_LATE} if the time limit ended it. */
  readonly code: number;
  /** What it printed, if `quiet` was set. */
  readonly output: string;
}

/** Options for running a process. */
export interface RunOptions {
  /** ms after which it is killed. */
  readonly limitMs: number;
  /** Captures its output instead of showing it. */
  readonly quiet?: boolean;
  /** Variables added to the environment. */
  readonly env?: Record<string, string>;
  /** Folder it runs in. */
  readonly cwd?: string;
}

/**
 * Runs a program and waits for it.
 *
 * @param program The program
 * @param args Its arguments
 * @param options Time limit and output
 * @returns How it ended; code 127 if there is no such program
 */
export async function run(program: string, args: string[], options: RunOptions): Promise<Finished> {
  const pipe = options.quiet ? "piped" : "inherit";
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: pipe,
      stderr: pipe,
      ...(options.env ? { env: options.env } : {}),
      ...(options.cwd ? { cwd: options.cwd } : {}),
    }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { code: 127, output: `${program}: not found` };
    throw error;
  }
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, options.limitMs);
  try {
    if (!options.quiet) {
      const { code } = await child.status;
      return { code: late ? TOO_LATE : code, output: "" };
    }
    const { code, stdout, stderr } = await child.output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    return { code: late ? TOO_LATE : code, output };
  } finally {
    clearTimeout(timer);
  }
}

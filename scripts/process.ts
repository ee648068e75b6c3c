/** Exit code of a process that timed out. */
export const TOO_LATE = 124;

/** A process's result. */
export interface Finished {
  /** Exit code; {@linkcode TOO_LATE} if the time limit ended it. */
  readonly code: number;
  /** Its output: standard output, then errors. */
  readonly output: string;
}

/** Collects a process's output, and echoes it as it arrives if `shown` is given. */
async function textOf(
  stream: ReadableStream<Uint8Array>,
  shown?: { writeSync(bytes: Uint8Array): number },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    if (shown) { for (let at = 0; at < bytes.length; at += shown.writeSync(bytes.subarray(at))); }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** Options for running a process. */
export interface RunOptions {
  /** Time before it is killed, in ms. */
  readonly limitMs: number;
  /** Hides its output. */
  readonly quiet?: boolean;
  /** Variables added to the environment. */
  readonly env?: Record<string, string>;
  /** Its working directory. */
  readonly cwd?: string;
}

/**
 * Runs a program and waits for it.
 *
 * @param program The program
 * @param args Its arguments
 * @param options Time limit and output
 * @returns Its result; code 127 if there is no such program
 */
export async function run(program: string, args: string[], options: RunOptions): Promise<Finished> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
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
    const [{ code }, printed, errors] = await Promise.all([
      child.status,
      textOf(child.stdout, options.quiet ? undefined : Deno.stdout),
      textOf(child.stderr, options.quiet ? undefined : Deno.stderr),
    ]);
    return { code: late ? TOO_LATE : code, output: printed + errors };
  } finally {
    clearTimeout(timer);
  }
}

/** A program in a separate process, which has printed a line when ready. */
export interface Program extends AsyncDisposable {
  /** The line. */
  readonly line: string;
  readonly pid: number;
  /** Stops it and returns its stderr output. */
  stop(): Promise<string>;
}

/**
 * Starts a program and waits for its first line.
 *
 * @param command The command
 * @param args Its arguments
 * @param options Its working directory and environment
 * @returns The program
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<Program> {
  const child = new Deno.Command(command, {
    args: [...args],
    ...options,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stop = async (): Promise<string> => {
    try {
      child.kill("SIGKILL");
    } catch {
      // it has already exited
    }
    await reader.cancel();
    await child.status;
    return await errors;
  };
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`${args.join(" ")} ended before it was ready: ${await stop()}`);
    text += value;
  }
  const { pid } = child;
  return { pid, line: text.slice(0, text.indexOf("\n")), stop, [Symbol.asyncDispose]: async () => void await stop() };
}

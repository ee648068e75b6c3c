/** Programs under attack, each in its own process, which exits whenever this process does. */
import { fileURLToPath } from "node:url";
import { linesOf } from "../../scripts/lines.ts";
import { installRuntimes } from "../../scripts/runtimes.ts";
import { bundleForNode, packageFlags } from "../../tests/support/node_program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A runtime that has its own server. */
export type RuntimeName = "Deno" | "Node" | "Bun";

/** All runtimes that have their own server. */
export const RUNTIMES: readonly RuntimeName[] = ["Deno", "Node", "Bun"];

/**
 * The command that runs a program in this repository with `gc()`, on Bun `Bun.gc`.
 *
 * @param runtime Its runtime
 * @param path Path relative to the root
 * @throws {Error} If the runtime is missing
 */
export async function commandOf(runtime: RuntimeName, path: string): Promise<readonly string[]> {
  if (runtime === "Deno") {
    const flags = await packageFlags(path.replace(/[^a-z0-9]+/g, "_"));
    return [Deno.execPath(), "run", "-A", "--quiet", "--no-check", "--v8-flags=--expose-gc", ...flags, path];
  }
  // app.listen on Node needs Sluice's Node entry, which must not be loaded on Bun
  if (runtime === "Node") return ["node", "--expose-gc", await bundleForNode("@sluice/sluice/node", path)];
  return [await bunPath(), await bundleForNode(path)];
}

async function bunPath(): Promise<string> {
  return `${await runtimesFor("Bun")}node_modules/.bin/bun`;
}

/** The environment for programs that import `tests/fixtures/uws/engine.ts`. */
export async function uwsEnvironment(): Promise<Record<string, string>> {
  const folder = await runtimesFor("uWebSockets.js");
  return { SLUICE_UWS: `${folder}node_modules/@trufflesuite/uws-js-unofficial` };
}

async function runtimesFor(what: string): Promise<string> {
  const runtimes = await installRuntimes();
  if (typeof runtimes === "string") throw new Error(`${what} is missing: ${runtimes}`);
  return runtimes.folder;
}

/** A running program. `await using` ends it. */
export class Child implements AsyncDisposable {
  /** Its stderr output so far. */
  errors = "";
  /** Its exit code, once it has ended. */
  code: number | undefined;
  readonly #process: Deno.ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#lines = linesOf(process.stdout);
    const reading = (async () => {
      for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) this.errors += text;
    })();
    this.#ended = Promise.all([reading, process.status.then(({ code }) => this.code = code)]);
  }

  /**
   * Starts a program.
   *
   * @param command The program and its arguments
   * @param env Variables added to its environment
   */
  static start([program, ...args]: readonly string[], env: Record<string, string> = {}): Child {
    // setpriv execs the program
    const process = new Deno.Command("setpriv", {
      args: ["--pdeathsig", "KILL", program!, ...args],
      cwd: ROOT,
      env: { NODE_ENV: "production", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    return new Child(process);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * The next line it prints.
   *
   * @throws {Error} If it exits first
   */
  async line(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (!done) return value;
    await this.#ended;
    throw new Error(`the program ended with code ${this.code}: ${this.errors}`);
  }

  /** Writes a line to its standard input. */
  async say(line: string): Promise<void> {
    const writer = this.#process.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`${line}\n`));
    writer.releaseLock();
  }

  /** Sends it a signal. */
  signal(signal: Deno.Signal): void {
    this.#process.kill(signal);
  }

  /** Waits until it exits on its own, and returns its exit code. */
  async ended(): Promise<number> {
    for (let line = await this.#lines.next(); !line.done;) line = await this.#lines.next();
    await this.#ended;
    return this.code!;
  }

  /** Kills it. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch (error) {
      // it has already exited
      if (!(error instanceof TypeError)) throw error;
    }
    await this.ended();
    // it may have exited before it read everything
    await this.#process.stdin.close().catch(() => undefined);
  }
}

/** A server that a test starts: a process that ends with this one, however that ends. */
import { until } from "./until.ts";

/** How a server is started. */
export interface ServerStart {
  /** What it is called in errors, such as "memcached on port 1234". */
  readonly name: string;
  /** Options of setpriv, such as for another user; by the signal of `--pdeathsig` it ends with this process. */
  readonly setpriv: readonly string[];
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder that it runs in. */
  readonly cwd?: string;
  /** Tells whether it answers. */
  answers(server: ServerProcess): Promise<boolean>;
}

/** A server's process. */
export class ServerProcess {
  readonly #child: Deno.ChildProcess;
  readonly #status: Promise<unknown>;
  #hasEnded = false;

  /** Use {@linkcode startServerProcess}. */
  constructor({ setpriv, command, cwd }: ServerStart) {
    // setpriv becomes the server
    this.#child = new Deno.Command("setpriv", {
      args: [...setpriv, ...command],
      ...cwd === undefined ? {} : { cwd },
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    this.#status = this.#child.status.then(() => this.#hasEnded = true);
  }

  /** Process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Whether it has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends it a signal. */
  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /**
   * Ends it, and waits until it has ended.
   *
   * @param signal By what
   * @param later By what else, after two seconds
   */
  async end(signal: Deno.Signal, later = signal): Promise<void> {
    this.#endBy(signal);
    const timer = setTimeout(() => this.#endBy(later), 2000);
    await this.#status;
    clearTimeout(timer);
  }

  #endBy(signal: Deno.Signal): void {
    try {
      if (!this.#hasEnded) this.#child.kill(signal);
    } catch (error) {
      // it may have ended by itself, and nobody was told yet
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

/**
 * Starts a server and waits until it answers.
 *
 * @param start How
 * @returns The process
 * @throws {Error} If it ends at once, or does not answer; it is killed then
 */
export async function startServerProcess(start: ServerStart): Promise<ServerProcess> {
  const server = new ServerProcess(start);
  try {
    await until(async () => server.hasEnded || await start.answers(server), `an answer of ${start.name}`);
    if (server.hasEnded) throw new Error(`${start.name} ended at once`);
  } catch (error) {
    await server.end("SIGKILL");
    throw error;
  }
  return server;
}

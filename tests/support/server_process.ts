/** A server process started by a test. It exits with this process, however that happens. */
import { until } from "./until.ts";

/** How to start a server. */
export interface ServerStart {
  /** Its name in errors, such as "memcached on port 1234". */
  readonly name: string;
  /**
   * Options for setpriv, such as a different user; `--pdeathsig` sets the signal that the server gets when this process
   * dies.
   */
  readonly setpriv: readonly string[];
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly cwd?: string;
  /** Returns whether the server replies. */
  answers(server: ServerProcess): Promise<boolean>;
}

/** A server's process. */
export class ServerProcess {
  readonly #child: Deno.ChildProcess;
  readonly #status: Promise<unknown>;
  #hasEnded = false;

  /** Use {@linkcode startServerProcess}. */
  constructor({ setpriv, command, cwd }: ServerStart) {
    // setpriv execs the server
    this.#child = new Deno.Command("setpriv", {
      args: [...setpriv, ...command],
      ...cwd === undefined ? {} : { cwd },
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    this.#status = this.#child.status.then(() => this.#hasEnded = true);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Whether it has exited. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends it a signal. */
  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /**
   * Ends it, and waits until it has exited.
   *
   * @param signal The signal
   * @param later The signal to send after two seconds
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
      // it may have exited on its own, unnoticed so far
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

/**
 * Starts a server and waits until it replies.
 *
 * @param start How to start it
 * @returns The process
 * @throws {Error} If it exits immediately, or does not reply and is killed
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

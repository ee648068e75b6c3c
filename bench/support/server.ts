import { processorTime } from "./processor_time.ts";

/** The core that servers run on; the load has the other core, so that neither slows the other down. */
const SERVER_CORE = "0";

/** How to start a contestant. */
export interface ServerCommand {
  /** The program. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
}

/** A server in its own process, on the first core; it prints its port when it listens. */
export class Server {
  readonly port: number;
  readonly #process: Deno.ChildProcess;
  readonly #threads = new Map<string, number>();

  private constructor(process: Deno.ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  /**
   * Starts a server.
   *
   * @param command How to start it
   * @returns The server, listening
   * @throws {Error} If it exits before it listens
   */
  static async start(command: ServerCommand): Promise<Server> {
    const process = new Deno.Command("taskset", {
      args: ["-c", SERVER_CORE, command.program, ...command.args],
      env: { NODE_ENV: "production" },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = process.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const port = Number(new TextDecoder().decode(value).trim());
    if (port > 0) return new Server(process, port);
    // it has ended, unless it printed something else
    if (value !== undefined) process.kill("SIGKILL");
    await process.status;
    throw new Error(`${command.program} ${command.args.join(" ")} did not start`);
  }

  /** Its origin. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Its threads' processor time, in ns. */
  processorTime(): number {
    return processorTime(this.#process.pid, this.#threads);
  }

  /** Resident memory now, and its peak since {@linkcode Server.forgetPeak}, in bytes. */
  memory(): { resident: number; peak: number } {
    const status = Deno.readTextFileSync(`/proc/${this.#process.pid}/status`);
    const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
    return { resident: bytes("VmRSS"), peak: bytes("VmHWM") };
  }

  /** Number of open descriptors. */
  descriptors(): number {
    return [...Deno.readDirSync(`/proc/${this.#process.pid}/fd`)].length;
  }

  /** Resets the peak. */
  forgetPeak(): void {
    Deno.writeTextFileSync(`/proc/${this.#process.pid}/clear_refs`, "5");
  }

  /** Ends it. */
  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.stdout.cancel();
    await this.#process.status;
  }
}

/**
 * Starts several servers, passes them to a function and ends them.
 *
 * @param commands How to start each, by name
 * @param use The function
 * @returns Its result
 */
export async function withServers<T>(
  commands: ReadonlyMap<string, ServerCommand>,
  use: (servers: ReadonlyMap<string, Server>) => Promise<T>,
): Promise<T> {
  const servers = new Map<string, Server>();
  try {
    for (const [name, command] of commands) servers.set(name, await Server.start(command));
    return await use(servers);
  } finally {
    await Promise.all(Array.from(servers.values(), (server) => server.stop()));
  }
}

/** Redis servers that a test starts, pauses, kills and restarts. Clusters and sentinels build on this. */
import { run } from "../../scripts/process.ts";
import { type ServerProcess, startServerProcess } from "./server_process.ts";
import { PATIENCE_MS } from "./patience.ts";

/** Server options. */
export interface RedisServerOptions {
  /** Its port; a free one by default. */
  readonly port?: number;
  /** Added to its command line. */
  readonly args?: readonly string[];
  /** Configuration file contents, for settings the command line does not support. */
  readonly config?: string;
}

/** A test's redis-server, without persistence. `await using` stops it. */
export class RedisServer implements AsyncDisposable {
  /** Its port on 127.0.0.1; the same after a restart. */
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #process: ServerProcess | undefined;

  /** Use {@linkcode startServer}. */
  constructor(port: number, folder: string, args: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#args = args;
  }

  /** URL for a client. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Process id; a different one after a restart. */
  get pid(): number {
    return this.#running().pid;
  }

  /** Stops its replies until `resume()`; its connections stay open. */
  pause(): void {
    this.#running().kill("SIGSTOP");
  }

  /** Ends a pause; waiting commands are applied. */
  resume(): void {
    this.#running().kill("SIGCONT");
  }

  /** Kills it immediately, like a crash; it can be restarted. */
  async kill(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.end("SIGKILL");
  }

  /** Starts it again on the same port, without data; kills it first if it is running. */
  async restart(): Promise<void> {
    await this.kill();
    // a replica writes a dump when it synchronizes, and would load it
    await Deno.remove(`${this.#folder}/dump.rdb`).catch(() => undefined);
    this.#process = await startServerProcess({
      name: `redis-server on port ${this.port}`,
      setpriv: ["--pdeathsig", "KILL"],
      command: ["redis-server", ...this.#args],
      answers: ({ pid }) => this.#answers(pid),
    });
  }

  /** Stops it permanently and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    await Deno.remove(this.#folder, { recursive: true }).catch(() => undefined);
  }

  /** The same as `stop()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Runs redis-cli on it. Throws on an error reply, on a failed connection, and after {@linkcode PATIENCE_MS}.
   *
   * @param args A command and its arguments, optionally after redis-cli options
   * @returns The reply, with one list element per line
   */
  async cli(...args: string[]): Promise<string> {
    const { code, output } = await run("redis-cli", ["-e", "-p", String(this.port), ...args], {
      limitMs: PATIENCE_MS,
      quiet: true,
    });
    if (code !== 0) throw new Error(`redis-cli ${args.join(" ")} on port ${this.port}: code ${code}, ${output.trim()}`);
    return output.trimEnd();
  }

  // a different server may have taken the port, so a reply alone is not enough
  async #answers(pid: number): Promise<boolean> {
    if (await this.cli("PING") !== "PONG") return false;
    return (await this.cli("INFO", "server")).includes(`process_id:${pid}\r`);
  }

  #running(): ServerProcess {
    if (this.#process === undefined) throw new Error(`The server on port ${this.port} was killed`);
    return this.#process;
  }
}

/**
 * Starts a Redis server on 127.0.0.1 and waits until it replies.
 *
 * @param options Port and settings
 * @returns The server
 */
export async function startServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  for (let attempt = 1;; attempt++) {
    const server = await prepare(options.port ?? freePort(), options);
    try {
      await server.restart();
      return server;
    } catch (error) {
      await server.stop();
      // a parallel test may have taken the free port first
      if (options.port !== undefined || attempt === 3) throw error;
    }
  }
}

async function prepare(port: number, { args = [], config }: RedisServerOptions): Promise<RedisServer> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-redis-" });
  const file = `${folder}/server.conf`;
  if (config !== undefined) await Deno.writeTextFile(file, config);
  return new RedisServer(port, folder, [
    ...(config === undefined ? [] : [file]),
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"],
    ...["--repl-diskless-sync-delay", "0", ...args],
  ]);
}

// below the range of outgoing connections, which could take the port between a kill and a restart; the cluster bus
// ports, 10000 higher, are too
function freePort(): number {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 10_000);
    try {
      for (const each of [port, port + 10_000]) Deno.listen({ hostname: "127.0.0.1", port: each }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

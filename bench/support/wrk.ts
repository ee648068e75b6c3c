import { fileURLToPath } from "node:url";
import { LOAD_CORE } from "./load.ts";
import { processorTime } from "./processor_time.ts";
import type { Traffic } from "./traffic.ts";

const SCRIPT = fileURLToPath(new URL("traffic.lua", import.meta.url));
/** Maximum run time of wrk in seconds, in case this process is killed; normally it is stopped earlier. */
const LONGEST = 600;
/** Printed by the script once it has read all requests. */
const READY = "ready\n";
/** The end of wrk's output before it waits until its time runs out. */
const RUNNING = "connections\n";
/** Interval between requests to stop, in ms. */
const AGAIN_MS = 20;

/** Options for a wrk run. */
export interface Load {
  /** The server's address. */
  readonly origin: string;
  /** Requests to send. */
  readonly traffic: Traffic;
  /** The first request's index. */
  readonly from?: number;
  /** Number of connections. */
  readonly connections?: number;
}

/** Sends a server requests in turn, over keep-alive connections, until it is stopped. */
export class Wrk {
  readonly #process: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #load: Required<Load>;
  #printed = "";
  #hasBegun = false;
  #before = 0;

  private constructor(process: Deno.ChildProcess, load: Required<Load>) {
    this.#process = process;
    const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
    this.#reader = process.stdout.pipeThrough(decoder).getReader();
    this.#load = load;
  }

  /**
   * Starts it; it sends nothing until it is resumed.
   *
   * @param load The options
   * @throws {Error} If wrk is missing or fails
   */
  static async start({ origin, traffic, from = 0, connections = 50 }: Load): Promise<Wrk> {
    // a response that waits while the load is paused is not late
    const times = [`-d${LONGEST}s`, `-T${LONGEST}s`];
    const args = ["-c", LOAD_CORE, "wrk", "-t1", `-c${connections}`, ...times, "-s", SCRIPT, origin];
    const process = new Deno.Command("taskset", {
      args: [...args, "--", traffic.file, String(from % traffic.count)],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const load = new Wrk(process, { origin, traffic, from, connections });
    if (!await load.#hasPrinted(READY)) throw new Error(`wrk (Debian package wrk) did not start: ${load.#printed}`);
    load.#before = processorTime(process.pid);
    return load;
  }

  /** Pauses sending until it is resumed. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  /** Begins sending, or resumes it. */
  async resume(): Promise<void> {
    this.#signal("SIGCONT");
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const writer = this.#process.stdin.getWriter();
    await writer.write(new TextEncoder().encode("\n"));
    await writer.close();
  }

  /** Ends it, paused or not, if it has not ended on its own. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    if (!this.#hasBegun) await this.#process.stdin.abort();
    await this.#reader.cancel();
    await this.#process.status;
  }

  #signal(signal: Deno.Signal): void {
    try {
      this.#process.kill(signal);
    } catch (error) {
      // thrown by Deno for a process that has ended
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Processor time since its start, in ns. */
  processorTime(): number {
    return processorTime(this.#process.pid) - this.#before;
  }

  /**
   * Stops it. That takes up to a tenth of a second, during which it keeps sending.
   *
   * @returns The number of responses since its start
   * @throws {Error} If wrk failed, or a response was not as expected
   */
  async stop(): Promise<number> {
    await this.#hasPrinted(RUNNING);
    this.#signal("SIGINT");
    // the system may have delivered the signal to a different thread than the one waiting for the time to run out
    const again = setInterval(() => this.#signal("SIGINT"), AGAIN_MS);
    while (await this.#read());
    clearInterval(again);
    const { success } = await this.#process.status;
    const { traffic: { status, file }, connections } = this.#load;
    const count = (text: RegExp) => Number(text.exec(this.#printed)?.[1] ?? 0);
    const requests = count(/(\d+) requests in/);
    const refused = count(/Non-2xx or 3xx responses: (\d+)/);
    const failed = count(/Socket errors: connect (\d+)/) + count(/Socket errors: .* write (\d+)/);
    // Node closes a connection after five idle seconds, and a pause can take that long on a busy machine
    const closed = count(/Socket errors: .* read (\d+)/);
    const isWhole = refused === (status >= 400 ? requests : 0) && failed === 0 && closed <= connections;
    if (success && isWhole) return requests;
    throw new Error(`wrk got other answers than ${status} to ${file}:\n${this.#printed}`);
  }

  async #hasPrinted(text: string): Promise<boolean> {
    while (!this.#printed.includes(text)) if (!await this.#read()) return false;
    return true;
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.#printed += value ?? "";
    return !done;
  }
}

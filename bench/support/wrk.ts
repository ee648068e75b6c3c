import { fileURLToPath } from "node:url";
import { LOAD_CORE } from "./load.ts";
import { processorTime } from "./processor_time.ts";
import type { Traffic } from "./traffic.ts";

const SCRIPT = fileURLToPath(new URL("traffic.lua", import.meta.url));
/** Seconds after which wrk ends if this process is gone; it is stopped before. */
const LONGEST = 600;
/** ms after which it is asked to stop again. */
const AGAIN_MS = 20;
/** The script's line, by which wrk has read all requests. */
const READY = "ready\n";

/** Options of a wrk run. */
export interface Load {
  /** Address of the server. */
  readonly origin: string;
  /** What is sent. */
  readonly traffic: Traffic;
  /** Which of the requests is the first. */
  readonly from?: number;
  /** Number of connections. */
  readonly connections?: number;
}

/** Sends a server requests in turn, over keep-alive connections, until it is stopped. */
export class Wrk {
  readonly #process: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #traffic: Traffic;
  #printed = "";
  #before = 0;

  private constructor(process: Deno.ChildProcess, traffic: Traffic) {
    this.#process = process;
    const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
    this.#reader = process.stdout.pipeThrough(decoder).getReader();
    this.#traffic = traffic;
  }

  /**
   * Starts it, paused.
   *
   * @param load The options
   * @throws {Error} If wrk is missing or fails
   */
  static async start({ origin, traffic, from = 0, connections = 50 }: Load): Promise<Wrk> {
    // an answer that waits while the load is paused is not late
    const times = [`-d${LONGEST}s`, `-T${LONGEST}s`];
    const args = ["-c", LOAD_CORE, "wrk", "-t1", `-c${connections}`, ...times, "-s", SCRIPT, origin];
    const process = new Deno.Command("taskset", {
      args: [...args, "--", traffic.file, String(from % traffic.count)],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const load = new Wrk(process, traffic);
    while (!load.#printed.startsWith(READY)) {
      if (!await load.#read()) throw new Error(`wrk (Debian package wrk) did not start: ${load.#printed}`);
    }
    load.pause();
    load.#before = processorTime(process.pid);
    return load;
  }

  /** Pauses sending until it is resumed. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  /** Resumes sending. */
  resume(): void {
    this.#signal("SIGCONT");
  }

  /** Ends it if it has not ended by itself, paused or not. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    await this.#reader.cancel();
    await this.#process.status;
  }

  #signal(signal: Deno.Signal): void {
    try {
      this.#process.kill(signal);
    } catch (error) {
      // what Deno throws for a process that has ended
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Processor time it has used since it was started, in ns. */
  processorTime(): number {
    return processorTime(this.#process.pid) - this.#before;
  }

  /**
   * Stops it, which takes up to a tenth of a second in which it goes on sending. It must have sent for as long before, or
   * it may not be prepared for being stopped.
   *
   * @returns The number of requests answered since it was started
   * @throws {Error} If wrk failed, or an answer was not as expected
   */
  async stop(): Promise<number> {
    this.#signal("SIGINT");
    // the system may have passed it to a thread that was not the one that sleeps until the time is up
    const again = setInterval(() => this.#signal("SIGINT"), AGAIN_MS);
    while (await this.#read());
    clearInterval(again);
    const { success } = await this.#process.status;
    const { status, file } = this.#traffic;
    const requests = Number(/(\d+) requests in/.exec(this.#printed)?.[1]);
    const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(this.#printed)?.[1] ?? 0);
    const isWhole = refused === (status >= 400 ? requests : 0) && !this.#printed.includes("Socket errors");
    if (success && requests > 0 && isWhole) return requests;
    throw new Error(`wrk got other answers than ${status} to ${file}:\n${this.#printed}`);
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.#printed += value ?? "";
    return !done;
  }
}

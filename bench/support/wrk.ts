import type { Scenario } from "../scenarios.ts";
import { LOAD_CORE } from "./load.ts";

/** Options of a wrk run. */
export interface Load {
  /** Address of the server. */
  readonly origin: string;
  /** The request. */
  readonly request: Pick<Scenario, "method" | "path" | "body" | "status">;
  /** How long, in seconds. */
  readonly seconds: number;
  /** Number of connections. */
  readonly connections?: number;
}

/** Results of a wrk run. */
export interface Seen {
  /** Requests answered. */
  readonly requests: number;
  /** Requests answered in a second, pauses included. */
  readonly rate: number;
}

/** Sends a server the same request repeatedly, over keep-alive connections, until its time is up. */
export class Wrk {
  readonly #process: Deno.ChildProcess;
  readonly #script: string;
  readonly #request: Load["request"];

  private constructor(process: Deno.ChildProcess, script: string, request: Load["request"]) {
    this.#process = process;
    this.#script = script;
    this.#request = request;
  }

  /**
   * Starts sending.
   *
   * @param load The options
   */
  static async start({ origin, request, seconds, connections = 50 }: Load): Promise<Wrk> {
    const script = await Deno.makeTempFile({ suffix: ".lua" });
    await Deno.writeTextFile(script, luaOf(request));
    const args = ["-c", LOAD_CORE, "wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "-s", script];
    const process = new Deno.Command("taskset", {
      args: [...args, origin + request.path],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    return new Wrk(process, script, request);
  }

  /** Pauses sending until it is resumed; its time runs on. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  /** Resumes sending. */
  resume(): void {
    this.#signal("SIGCONT");
  }

  /** Ends it if it has not ended by itself, paused or not. */
  kill(): void {
    this.#signal("SIGKILL");
  }

  // if the machine pauses for seconds, wrk's time may run out while it is sending
  #signal(signal: Deno.Signal): void {
    try {
      this.#process.kill(signal);
    } catch (error) {
      // what Deno throws for a process that has ended
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /**
   * Waits until its time is up.
   *
   * @returns Its results
   * @throws {Error} If wrk is missing, or an answer was not as expected
   */
  async finish(): Promise<Seen> {
    try {
      const { code, stdout, stderr } = await this.#process.output();
      const text = new TextDecoder().decode(stdout);
      if (code !== 0) throw new Error(`wrk failed (Debian package wrk): ${text}${new TextDecoder().decode(stderr)}`);
      return read(text, this.#request);
    } finally {
      await Deno.remove(this.#script);
    }
  }
}

function luaOf({ method, body }: Load["request"]): string {
  const lines = [`wrk.method = "${method}"`];
  if (body !== undefined) lines.push(`wrk.body = [==[${body}]==]`, 'wrk.headers["Content-Type"] = "application/json"');
  return lines.join("\n");
}

function read(text: string, { path, status }: Load["request"]): Seen {
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  if (!(requests > 0) || refused !== (status >= 400 ? requests : 0)) {
    throw new Error(`wrk got other answers than ${status} from ${path}:\n${text}`);
  }
  return { requests, rate };
}

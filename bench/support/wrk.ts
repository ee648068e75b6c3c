import type { Scenario } from "../scenarios.ts";

/** Where the load is made; see `server.ts`. */
const LOAD_CORE = "1";

/** What wrk is asked to do. */
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

/** What wrk saw. */
export interface Seen {
  /** Requests answered. */
  readonly requests: number;
  /** Requests answered in a second, pauses included. */
  readonly rate: number;
}

/** Asks a server the same again and again, over connections that stay open, until its time is over. */
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
   * Begins to ask.
   *
   * @param load What to ask
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

  /** Asks nothing until it is resumed; its time goes on. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  /** Goes on asking. */
  resume(): void {
    this.#signal("SIGCONT");
  }

  /** Ends it, where it has not ended by itself; paused or not. */
  kill(): void {
    this.#signal("SIGKILL");
  }

  // a machine that stands still for seconds lets the time of one run out that is being asked
  #signal(signal: Deno.Signal): void {
    try {
      this.#process.kill(signal);
    } catch (error) {
      // Deno's word for a process that is over
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /**
   * Waits until its time is over.
   *
   * @returns What came of it
   * @throws {Error} If wrk is missing, or an answer was not as it should be
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

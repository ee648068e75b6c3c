import { linesOf } from "../../../scripts/lines.ts";
import type { Tools } from "./program.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

/** The values the test passes to a program; the other values are made where the program runs. */
export type Told = Omit<Tools, "onClose">;

/** How to start a host. */
export interface HostOptions {
  /** Name for messages. */
  readonly name: string;
  /** The runtime. */
  readonly program: string;
  readonly args: readonly string[];
  /** Folder it runs in. */
  readonly cwd: URL;
  /** Variables added to its environment. */
  readonly env?: Record<string, string>;
}

/**
 * A process that runs programs, see `runner.mjs`. A program that crashes its process does not end the tests. The
 * process exits when its standard input closes, so no process is left behind.
 */
export class Host {
  #name: string;
  #child: Deno.ChildProcess;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #output: AsyncGenerator<string>;
  #errors = "";
  #readingErrors: Promise<void>;

  /**
   * Starts the process.
   *
   * @param options What to start
   */
  constructor({ name, program, args, cwd, env = {} }: HostOptions) {
    this.#name = name;
    this.#child = new Deno.Command(program, {
      args: [...args],
      cwd,
      env: { NODE_ENV: "test", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#output = linesOf(this.#child.stdout);
    this.#readingErrors = this.#readErrors();
  }

  /** Starts a program and returns its port. */
  async open(name: string, tools: Told): Promise<number> {
    return (await this.#order({ do: "open", name, tools })).port!;
  }

  /** Ends a program. */
  async close(name: string): Promise<void> {
    await this.#order({ do: "close", name });
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    await this.#writer.close().catch(() => undefined);
    for await (const _ of this.#output);
    await this.#readingErrors;
    await this.#child.status;
  }

  async #order(order: object): Promise<{ port?: number }> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    try {
      await this.#writer.write(new TextEncoder().encode(JSON.stringify(order) + "\n")).catch(() => undefined);
      for (;;) {
        const line = await this.#line();
        // programs and packages may print other lines
        if (!line.startsWith("answer ")) continue;
        const response = JSON.parse(line.slice("answer ".length)) as { port?: number; error?: string };
        if (response.error !== undefined) throw new Error(`${this.#name}: ${response.error}`);
        return response;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #line(): Promise<string> {
    const { done, value } = await this.#output.next();
    if (!done) return value;
    await this.#readingErrors;
    throw new Error(`${this.#name}: the process ended\n${this.#errors}`);
  }

  async #readErrors(): Promise<void> {
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
      this.#errors = (this.#errors + text).slice(-4000);
    }
  }
}

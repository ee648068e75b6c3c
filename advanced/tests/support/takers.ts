import { fileURLToPath } from "node:url";
import { linesOf } from "../../../scripts/lines.ts";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";
import type { TakerOrder, TakerReport } from "./taker.ts";

/** Child processes that take units as instructed, all at the same time. */
export class Takers implements AsyncDisposable {
  readonly #children: Deno.ChildProcess[] = [];
  readonly #writers: WritableStreamDefaultWriter<Uint8Array>[] = [];
  readonly #answers: AsyncGenerator<string>[] = [];

  /**
   * Starts the processes.
   *
   * @param processes Number of processes
   */
  constructor(processes: number) {
    const root = fileURLToPath(new URL("../../../", import.meta.url));
    for (let i = 0; i < processes; i++) {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", "--no-check", ...importMap(root), `${root}advanced/tests/support/taker.ts`],
        stdin: "piped",
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
      this.#children.push(child);
      this.#writers.push(child.stdin.getWriter());
      this.#answers.push(linesOf(child.stdout));
    }
  }

  /**
   * Splits some takes among the processes.
   *
   * @param takes Number of takes, across all processes
   * @param order Key, limit and other options
   * @returns Totals across all processes
   */
  async take(takes: number, order: Omit<TakerOrder, "takes">): Promise<TakerReport> {
    const processes = this.#children.length;
    const line = `${JSON.stringify({ processes, ...order, takes: takes / processes })}\n`;
    await Promise.all(this.#writers.map((writer) => writer.write(new TextEncoder().encode(line))));
    const sum = { admitted: 0, byStore: 0 };
    for (const responses of this.#answers) {
      const { value, done } = await responses.next();
      if (done) throw new Error("a process ended before it had answered");
      const { admitted, byStore } = JSON.parse(value) as TakerReport;
      sum.admitted += admitted;
      sum.byStore += byStore;
    }
    return sum;
  }

  /**
   * Starves the processes, as on a machine with too few processors or in a container with a CPU quota: each runs for
   * about a ms, then stops.
   *
   * @param stillMs How long each process stops, in ms
   * @returns Ends the starvation
   */
  starve(stillMs: number): () => Promise<void> {
    let ended = false;
    const starve = async (child: Deno.ChildProcess) => {
      while (!ended) {
        child.kill("SIGSTOP");
        await new Promise((resolve) => setTimeout(resolve, stillMs));
        child.kill("SIGCONT");
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    // a process that has exited cannot be starved; the caller that waits for its reply gets the error
    const starving = Promise.allSettled(this.#children.map(starve));
    return async () => {
      ended = true;
      await starving;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.close().catch(() => {})));
    const timer = setTimeout(() => this.#children.forEach((child) => child.kill("SIGKILL")), PATIENCE_MS);
    await Promise.all(this.#answers.map((responses) => responses.return(undefined)));
    await Promise.all(this.#children.map((child) => child.status));
    clearTimeout(timer);
  }
}

// the same packages as in this process, even on a machine without JSR
function importMap(root: string): string[] {
  try {
    Deno.statSync(`${root}.cache/offline.json`);
    return [`--import-map=${root}.cache/offline.json`];
  } catch {
    return [];
  }
}

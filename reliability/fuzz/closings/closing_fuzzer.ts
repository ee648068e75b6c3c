/** Applications that listen, serve and close in any order, each round in a fresh process. */
import type { Pick } from "../../../tests/support/random.ts";
import { Child, commandOf, type RuntimeName } from "../../support/children.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { type Life, randomLife, simplerLife } from "./life.ts";
import { within } from "./within.ts";

/** Number of applications in a process. */
const LIVES = 12;

/** Time limit for a process in ms. */
const PATIENCE_MS = 60_000;

/** How long a process may run once everything in it is closed, in ms. */
const EXIT_MS = 8000;

/** Deno's warning about slow handlers, which docs/express-differences.md explains. */
const WARNING = /^Deno\.serve: request\.signal aborts on successful responses.*\n/gm;

/** Fuzzes `app.listen` and `app.close`. */
export class ClosingFuzzer implements Fuzzer<Life> {
  readonly name: string;
  readonly #command: readonly string[];
  readonly #env: Record<string, string>;

  private constructor(runtime: RuntimeName, command: readonly string[], fault: string | undefined) {
    this.name = `closings on ${runtime}`;
    this.#command = command;
    this.#env = fault === undefined ? {} : { PLANTED_FAULT: fault };
  }

  /**
   * Prepares a fuzzer.
   *
   * @param runtime The runtime
   * @param fault Name of a fault that the program plants
   */
  static async on(runtime: RuntimeName, fault?: string): Promise<ClosingFuzzer> {
    return new ClosingFuzzer(runtime, await commandOf(runtime, "reliability/fuzz/closings/program.ts"), fault);
  }

  round(pick: Pick): readonly Life[] {
    return Array.from({ length: LIVES }, () => randomLife(pick));
  }

  async check(lives: readonly Life[]): Promise<Wrong | undefined> {
    await using child = Child.start([...this.#command, JSON.stringify(lives)], this.#env);
    const line = await within(PATIENCE_MS, child.line().catch(() => null));
    if (line === undefined) return { kind: "the program does not end", detail: child.errors };
    if (line === null) return { kind: "the program fails", detail: child.errors };
    const wrong: Wrong | null = JSON.parse(line);
    if (wrong !== null) return wrong;
    const code = await within(EXIT_MS, child.ended());
    if (code === undefined) return { kind: "something keeps the process alive", detail: child.errors };
    const errors = child.errors.replace(WARNING, "");
    if (code !== 0 || errors !== "") return { kind: "the program fails", detail: errors };
    return undefined;
  }

  simpler(life: Life): Iterable<Life> {
    return simplerLife(life);
  }

  print(lives: readonly Life[]): string {
    return lives.map((life) => `await live([\n${life.map((action) => `  ${JSON.stringify(action)},\n`).join("")}]);`)
      .join("\n");
  }
}

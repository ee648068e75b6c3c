import { fileURLToPath } from "node:url";
import { linesOf } from "../../scripts/lines.ts";
import { denoRun, type Packages, SOURCES } from "./packages.ts";

/**
 * A contestant in its own process, so that one contestant's objects do not affect another's compiled code or heap. It
 * reads a request as a line and responds with a line of JSON. It exits when its input ends, so that no child process is
 * left when the parent is killed.
 */
export class Child {
  readonly #process: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncIterator<string>;

  private constructor(args: readonly string[]) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#process.stdin.getWriter();
    this.#lines = linesOf(this.#process.stdout);
  }

  /**
   * Starts a child and waits until it is prepared.
   *
   * @param packages Packages for its imports
   * @param worker The program, which serves with `answerRounds`
   * @param args The program's arguments, such as a contestant's name
   * @throws {Error} If it exits before it is prepared
   */
  static async start(packages: Packages, worker: URL, ...args: readonly string[]): Promise<Child> {
    const flags = denoRun(packages, "--v8-flags=--expose-gc,--max-old-space-size=8192");
    const child = new Child([...flags, fileURLToPath(worker), ...args]);
    const { done } = await child.#lines.next();
    if (done) throw new Error(`${args.join(" ")} did not start`);
    return child;
  }

  /**
   * Requests one round.
   *
   * @param question A request that the program understands
   * @returns Its response
   * @throws {Error} If it exits before it has responded
   */
  async ask<T = number>(question = "round"): Promise<T> {
    await this.#writer.write(new TextEncoder().encode(`${question}\n`));
    const { done, value } = await this.#lines.next();
    if (done) throw new Error("a contestant ended before it answered");
    return JSON.parse(value) as T;
  }

  /** Ends it. */
  async stop(): Promise<void> {
    await this.#writer.close().catch(() => {});
    this.#process.kill("SIGKILL");
    await this.#process.status;
  }
}

/**
 * Starts several children, two at a time, passes them to a function, and stops them all afterwards.
 *
 * @param worker The program
 * @param all Arguments for each
 * @param use The function
 * @param packages Packages for their imports
 * @returns Its result
 */
export async function withChildren<T>(
  worker: URL,
  all: readonly string[][],
  use: (children: readonly Child[]) => Promise<T>,
  packages: Packages = SOURCES,
): Promise<T> {
  const children: Child[] = [];
  try {
    for (let i = 0; i < all.length; i += 2) {
      children.push(...await Promise.all(all.slice(i, i + 2).map((args) => Child.start(packages, worker, ...args))));
    }
    return await use(children);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}

/**
 * Requests rounds from all children in turn.
 *
 * @param names Their names, in the same order
 * @param children The contestants
 * @param rounds Number of rounds
 * @returns Their responses
 */
export async function interleave<T = number>(
  names: readonly string[],
  children: readonly Child[],
  rounds: number,
): Promise<Map<string, T[]>> {
  const responses = new Map<string, T[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [i, child] of children.entries()) responses.get(names[i]!)!.push(await child.ask<T>());
  }
  return responses;
}

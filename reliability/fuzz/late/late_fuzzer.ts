/** Stores with late statements and replies: no interval gets more than its limit allows. */
import { type LateOptions, lateRun, type LateSubject } from "../../../advanced/tests/support/late/late_run.ts";
import { lateKv, lateObjects, lateSqlite } from "../../../advanced/tests/support/late/local_subjects.ts";
import { latePostgres } from "../../../advanced/tests/support/late/postgres_subject.ts";
import { lateRedis } from "../../../advanced/tests/support/late/redis_subject.ts";
import { startTestPostgres } from "../../../scripts/postgres.ts";
import { startRedis } from "../../../scripts/redis.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";

/** Fuzzes a store, in real time. */
export class LateFuzzer implements Fuzzer<LateOptions>, AsyncDisposable {
  readonly name: string;
  /** Decisions so far. */
  decisions = 0;
  readonly #subject: LateSubject;
  readonly #processes: number;
  readonly #stop: () => Promise<unknown>;

  /**
   * @param subject The store
   * @param processes Maximum number of processes with delayed messages
   * @param stop Stops its server
   */
  constructor(subject: LateSubject, processes: number, stop: () => Promise<unknown>) {
    this.name = `late messages, ${subject.name}`;
    this.#subject = subject;
    this.#processes = processes;
    this.#stop = stop;
  }

  round(pick: Pick): readonly LateOptions[] {
    const mostMs = oneOf(pick, [20, 100, 500, 1000, 1000]);
    return [{ seed: 1 + pick(1_000_000), forMs: 8000, mostMs, processes: Math.ceil(this.#processes / (1 + pick(3))) }];
  }

  async check(steps: readonly LateOptions[]): Promise<Wrong | undefined> {
    for (const step of steps) {
      const { decisions, excess, failures } = await lateRun(this.#subject, step);
      this.decisions += decisions;
      if (failures.length > 0) return { kind: "the store fails", detail: failures[0]! };
      if (excess.length > 0) return { kind: "more is granted than can be right", detail: excess.join("\n") };
    }
    return undefined;
  }

  *simpler(step: LateOptions): Generator<LateOptions> {
    if (step.processes > 1) yield { ...step, processes: Math.floor(step.processes / 2) };
  }

  print(steps: readonly LateOptions[]): string {
    return steps.map((step) => `await lateRun(subject, ${JSON.stringify(step)});`).join("\n");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop().then(() => {});
  }
}

/** Each store on its own servers, and a way to stop them. */
export const LATE_STORES: readonly (() => Promise<LateFuzzer>)[] = [
  async () => {
    const server = await startTestPostgres();
    if (typeof server === "string") throw new Error(`no PostgreSQL: ${server}`);
    return new LateFuzzer(latePostgres(server.url), 32, () => server.stop());
  },
  async () => {
    const server = await startRedis();
    if (typeof server === "string") throw new Error(`no Redis: ${server}`);
    return new LateFuzzer(lateRedis(server.url), 32, () => server.stop());
  },
  () => inFolder((folder) => new LateFuzzer(lateKv(`${folder}/kv`), 32, () => remove(folder))),
  () => inFolder((folder) => new LateFuzzer(lateSqlite(`${folder}/limits.db`), 8, () => remove(folder))),
  () => Promise.resolve(new LateFuzzer(lateObjects(), 32, () => Promise.resolve())),
];

async function inFolder(make: (folder: string) => LateFuzzer): Promise<LateFuzzer> {
  return make(await Deno.makeTempDir());
}

function remove(folder: string): Promise<void> {
  return Deno.remove(folder, { recursive: true });
}

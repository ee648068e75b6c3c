import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { linesOf } from "../../../scripts/lines.ts";
import type { LimitOptions } from "../../mod.ts";
import type { TakerOrder, TakerReport } from "../support/taker.ts";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";

const PROCESSES = 4;
const TAKES = 10_000;
const MAX = 3_333;

/** Child processes that take units as instructed, all at the same time. */
class Takers implements AsyncDisposable {
  readonly #children: Deno.ChildProcess[] = [];
  readonly #writers: WritableStreamDefaultWriter<Uint8Array>[] = [];
  readonly #answers: AsyncGenerator<string>[] = [];

  constructor() {
    const root = fileURLToPath(new URL("../../../", import.meta.url));
    for (let i = 0; i < PROCESSES; i++) {
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

  async take(order: Omit<TakerOrder, "processes" | "takes">): Promise<TakerReport> {
    const line = `${JSON.stringify({ ...order, processes: PROCESSES, takes: TAKES / PROCESSES })}\n`;
    await Promise.all(this.#writers.map((writer) => writer.write(new TextEncoder().encode(line))));
    const sum = { admitted: 0, byStore: 0 };
    for (const answers of this.#answers) {
      const { value, done } = await answers.next();
      if (done) throw new Error("a process ended before it had answered");
      const { admitted, byStore } = JSON.parse(value) as TakerReport;
      sum.admitted += admitted;
      sum.byStore += byStore;
    }
    return sum;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.close().catch(() => {})));
    const timer = setTimeout(() => this.#children.forEach((child) => child.kill("SIGKILL")), PATIENCE_MS);
    await Promise.all(this.#answers.map((answers) => answers.return(undefined)));
    await Promise.all(this.#children.map((child) => child.status));
    clearTimeout(timer);
  }
}

// the same packages as this process, also on a machine without JSR
function importMap(root: string): string[] {
  try {
    Deno.statSync(`${root}.cache/offline.json`);
    return [`--import-map=${root}.cache/offline.json`];
  } catch {
    return [];
  }
}

Deno.test("10 000 takes of one key by four processes at the same time admit exactly max", async (t) => {
  const url = Deno.env.get("REDIS_URL")!;
  await using takers = new Takers();
  // a window that far outlasts the test, and in which no token is refilled
  const windowMs = 2 ** 40;
  const limits: LimitOptions[] = [
    { algorithm: "fixed-window", windowMs, max: MAX },
    { algorithm: "fixed-window", windowMs, max: MAX, align: "clock" },
    { algorithm: "sliding-window", windowMs, max: MAX },
    { algorithm: "sliding-log", windowMs, max: MAX },
    { algorithm: "token-bucket", windowMs, max: 1, burst: MAX },
    // the server scans all leases of a key, so there are fewer
    { algorithm: "concurrency", windowMs, max: 111 },
  ];
  for (const limit of limits) {
    for (const coalesce of [false, true]) {
      const how = `${limit.algorithm}${limit.align ? " by the clock" : ""}${coalesce ? ", merged" : ", one by one"}`;
      await t.step(how, async () => {
        const key = crypto.randomUUID();
        const sum = await takers.take({ url, key, limit: { ...limit, name: `four ${how}` }, coalesce });
        assertEquals(sum, { admitted: limit.burst ?? limit.max!, byStore: TAKES });
      });
    }
  }
  for (const algorithm of ["fixed-window", "sliding-window"] as const) {
    await t.step(`${algorithm}, with leases`, async () => {
      const key = crypto.randomUUID();
      const limit = { algorithm, windowMs, max: MAX, name: `four ${algorithm} leased` };
      const { admitted, byStore } = await takers.take({ url, key, limit, coalesce: true, leases: 50 });
      assertEquals(byStore, TAKES);
      // units reserved in the other processes at the first refusal may have been returned too late
      assert(admitted <= MAX && admitted >= MAX - (PROCESSES - 1) * 50, `${admitted} were admitted`);
    });
  }
});

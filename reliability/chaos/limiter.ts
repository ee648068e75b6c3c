/** Redis faults while four processes share it for their decisions. */
import { fileURLToPath } from "node:url";
import { startProxy } from "../../advanced/tests/support/tcp_proxy.ts";
import { packageFlags } from "../../tests/support/node_program.ts";
import { startSentinel } from "../../tests/support/redis_sentinel.ts";
import { startServer } from "../../tests/support/redis_servers.ts";
import { Child } from "../support/children.ts";
import { passed } from "../support/passed.ts";
import type { LimiterOrder, LimiterReport } from "./limiter_process.ts";
import type { Row } from "./row.ts";

const PROGRAM = fileURLToPath(new URL("limiter_process.ts", import.meta.url));
const PROCESSES = 4;
/** High enough that most decisions need Redis; low enough that three quotas are fewer than a key's requests. */
const MAX = 150;
const SLICES = 14;
const SLICE_MS = 500;
const REQUESTS = 120;
/** Start and end of the fault, in ms after the run starts. */
const FROM_MS = 1750;
const FAULT_MS = 2000;

interface Fault {
  readonly fault: string;
  /** Maximum units for a key, in quotas, that the documentation allows if some decisions are made without the store. */
  readonly bound: number;
  /** Starts the servers; returns Redis's address and the fault to run. */
  prepare(stack: AsyncDisposableStack): Promise<{
    redis: string | number;
    during(processes: readonly Child[]): Promise<void>;
  }>;
}

const FAULTS: readonly Fault[] = [
  {
    fault: "none",
    bound: 1,
    async prepare(stack) {
      const server = stack.use(await startServer());
      return { redis: server.url, during: () => Promise.resolve() };
    },
  },
  {
    fault: "Redis frozen for 2 s (SIGSTOP)",
    bound: 2,
    async prepare(stack) {
      const server = stack.use(await startServer());
      const during = async () => {
        server.pause();
        await passed(FAULT_MS);
        server.resume();
      };
      return { redis: server.url, during };
    },
  },
  {
    // Redis loses all its data, so a key may start over
    fault: "Redis killed, and restarted empty 2 s later",
    bound: 3,
    async prepare(stack) {
      const server = stack.use(await startServer());
      const during = async () => {
        await server.kill();
        await passed(FAULT_MS);
        await server.restart();
      };
      return { redis: server.url, during };
    },
  },
  {
    fault: "connections to Redis cut every 100 ms for 2 s",
    bound: 2,
    async prepare(stack) {
      const server = stack.use(await startServer());
      const proxy = stack.use(startProxy(server.port));
      const during = async () => {
        for (let i = 0; i < FAULT_MS / 100; i++) {
          proxy.cut();
          await passed(100);
        }
      };
      return { redis: proxy.url, during };
    },
  },
  {
    // the replica may lack the primary's last writes
    fault: "the primary killed, a sentinel moves it to the replica",
    bound: 3,
    async prepare(stack) {
      const watched = stack.use(await startSentinel());
      return { redis: watched.sentinel.port, during: () => watched.primary.kill() };
    },
  },
  {
    fault: "every process stopped for 150 ms again and again, for 2 s (a throttled container)",
    bound: 1,
    async prepare(stack) {
      const server = stack.use(await startServer());
      const during = async (processes: readonly Child[]) => {
        for (let i = 0; i < FAULT_MS / 175; i++) {
          for (const process of processes) process.signal("SIGSTOP");
          await passed(150);
          for (const process of processes) process.signal("SIGCONT");
          // short turns end while decisions are in transit
          await passed(i % 2 === 0 ? 5 : 45);
        }
      };
      return { redis: server.url, during };
    },
  },
];

/** Injects each fault and yields its row. */
export async function* limiterFaults(): AsyncGenerator<Row> {
  for (const { fault } of FAULTS) yield await limiterFault(fault);
}

/**
 * Injects one fault. Repeats it up to three times if decisions are made without Redis before the fault has begun, since
 * Redis itself is then short of CPU time.
 *
 * @param name The fault's name
 * @param change How the processes differ from four processes that know their number
 */
export async function limiterFault(name: string, change: Partial<LimiterOrder> = {}): Promise<Row> {
  for (let attempt = 1;; attempt++) {
    const { row, isDisturbed } = await injected(name, change);
    if (!isDisturbed || row.broken === undefined || attempt === 3) return row;
  }
}

async function injected(name: string, change: Partial<LimiterOrder>): Promise<{ row: Row; isDisturbed: boolean }> {
  const { fault, bound, prepare } = FAULTS.find(({ fault }) => fault === name)!;
  await using stack = new AsyncDisposableStack();
  const { redis, during } = await prepare(stack);
  const order: LimiterOrder = {
    redis,
    processes: PROCESSES,
    limit: MAX,
    slices: SLICES,
    sliceMs: SLICE_MS,
    requests: REQUESTS,
    ...change,
  };
  const args = [
    "run",
    "-A",
    "--quiet",
    "--no-check",
    ...await packageFlags("chaos_limiter"),
    PROGRAM,
    JSON.stringify(order),
  ];
  const processes = Array.from({ length: PROCESSES }, () => stack.use(Child.start([Deno.execPath(), ...args])));
  for (const process of processes) await process.line();
  const startAt = Date.now() + 300;
  for (const process of processes) await process.say(String(startAt));
  await passed(startAt + FROM_MS - Date.now());
  await during(processes);
  const reports = await Promise.all(
    processes.map(async (process) => JSON.parse(await process.line()) as LimiterReport),
  );
  const early = reports.flatMap(({ slices }) => slices.slice(0, Math.floor(FROM_MS / SLICE_MS)));
  return { row: rowOf(fault, bound, reports), isDisturbed: early.some(({ byOthers }) => byOthers > 0) };
}

function rowOf(fault: string, bound: number, reports: readonly LimiterReport[]): Row {
  const sum = (value: (report: LimiterReport) => number) => reports.reduce((total, report) => total + value(report), 0);
  const slices = Array.from({ length: SLICES }, (_, i) => {
    const byOthers = sum(({ slices }) => slices[i]!.byOthers);
    return { admitted: sum(({ slices }) => slices[i]!.admitted), most: byOthers > 0 ? bound * MAX : MAX };
  });
  const over = slices.reduce((total, { admitted, most }) => total + Math.max(0, admitted - most), 0);
  const least = Math.min(...slices.map(({ admitted }) => admitted));
  const most = Math.max(...slices.map(({ admitted }) => admitted));
  const byOthers = sum(({ slices }) => slices.reduce((total, one) => total + one.byOthers, 0));
  const lost = sum(({ lost }) => lost);
  return {
    ...{ fault: `limiter: ${fault}`, sent: sum(({ sent }) => sent), lost, over },
    slowestMs: Math.max(...reports.map(({ slowestMs }) => slowestMs)),
    remark: `${least} to ${most} admitted of each key, of ${MAX}, at most ${
      bound * MAX
    }; ${byOthers} decisions without Redis`,
    ...(over + lost > 0 ? { broken: `${over} were admitted beyond what the documentation says, ${lost} lost` } : {}),
  };
}

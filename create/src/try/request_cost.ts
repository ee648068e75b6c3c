/** Measures the cost of a request: processor time and memory, over all of a program's processes. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { createServer } from "node:net";
import process from "node:process";
import { promisify } from "node:util";
import { UserError } from "../user_error.ts";
import { lastLines, startCommand } from "./run_command.ts";

/** The cost of a request. */
export interface Cost {
  /** Processor time for one request in µs. */
  readonly processorUs: number;
  /** Resident memory after all requests, in MiB. */
  readonly memoryMib: number;
  /** The responses' status. */
  readonly status: number;
}

/** The command to start, and the path to request. */
export interface CostOptions {
  /** Command that starts the program. */
  readonly start: string;
  /** Path to request. */
  readonly url: string;
  /** Port it listens on, if it does not read `PORT`. */
  readonly port: number | undefined;
}

/** Time limit for the first response, in ms. */
const START_MS = 60_000;
/** Interval between attempts to reach the program, in ms. */
const LOOK_MS = 100;
/** Warm-up requests: they compile code and open connections. */
const WARM_UP = 1000;
/** Measured requests. */
const MEASURED = 3000;
/** Concurrent connections. */
const CONNECTIONS = 8;

const execute = promisify(execFile);

/**
 * Starts a program and measures the cost of its responses.
 *
 * @param folder The program's folder
 * @param options The command to start and path to request
 * @throws {UserError} If it does not respond, or its processes cannot be inspected
 */
export async function requestCost(folder: string, { start, url, port: given }: CostOptions): Promise<Cost> {
  const port = given ?? await freePort();
  const running = startCommand(start, { folder, env: { PORT: String(port) } });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const ask = (): Promise<number> => status(agent, port, url);
    const hasEnded = running.ended.then(({ output }) => {
      throw new UserError(`"${start}" ended before it responded:\n${lastLines(output)}`);
    });
    const first = await Promise.race([firstStatus(ask, `"${start}" at port ${port}`), hasEnded]);
    await askOften(ask, WARM_UP);
    const before = await usageOf(running.pid!);
    await askOften(ask, MEASURED);
    const after = await usageOf(running.pid!);
    const processorUs = (after.processorMs - before.processorMs) * 1000 / MEASURED;
    return { processorUs, memoryMib: after.memoryKib / 1024, status: first };
  } finally {
    agent.destroy();
    running.stop();
    await running.ended;
  }
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function status(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ agent, host: "localhost", port, path }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode!)).once("error", reject);
    }).once("error", reject);
  });
}

async function firstStatus(ask: () => Promise<number>, what: string): Promise<number> {
  for (const end = Date.now() + START_MS; Date.now() < end;) {
    const status = await ask().catch(() => undefined);
    if (status !== undefined) return status;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new UserError(
    `${what} did not respond within ${START_MS / 1000} s; if the program does not read PORT, give its port with --port`,
  );
}

async function askOften(ask: () => Promise<number>, times: number): Promise<void> {
  let left = times;
  const askOn = async (): Promise<void> => {
    while (left-- > 0) await ask();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
}

/** Resource usage of a program's processes. */
interface Usage {
  readonly processorMs: number;
  readonly memoryKib: number;
}

async function usageOf(group: number): Promise<Usage> {
  if (process.platform === "win32") throw new UserError("--start measures on Linux and macOS only");
  const { stdout } = await execute("ps", ["-A", "-o", "pgid=,rss=,time="]);
  const own = stdout.trim().split("\n").map((line) => line.trim().split(/\s+/)).filter(([id]) => Number(id) === group);
  const isLinux = process.platform === "linux";
  const processorMs = isLinux ? await ticksOf(group) : own.reduce((sum, [, , time]) => sum + msOf(time!), 0);
  return { processorMs, memoryKib: own.reduce((sum, [, rss]) => sum + Number(rss), 0) };
}

// `ps` rounds to whole seconds on Linux
async function ticksOf(group: number): Promise<number> {
  let ticks = 0;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // after the program's name, which may have spaces: state, parent, group, …
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (Number(fields[2]) === group) ticks += Number(fields[11]) + Number(fields[12]);
  }
  // Linux counts in hundredths of a second
  return ticks * 10;
}

/** `[[days-]hours:]minutes:seconds`, with fractions on macOS. */
function msOf(time: string): number {
  const [days, clock] = time.includes("-") ? time.split("-") as [string, string] : ["0", time];
  return clock.split(":").reduce((sum, part) => sum * 60 + Number(part), Number(days) * 24) * 1000;
}

/** Runs commands of the program, with all the processes they start. */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Exit code of a command that took too long. */
export const TOO_LATE = 124;

/** Lines of its output that an error shows. */
const LAST_LINES = 15;

/** How a command runs. */
export interface CommandOptions {
  /** Its working directory. */
  readonly folder: string;
  /** Variables added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** ms after which it is ended. */
  readonly limitMs: number;
}

/** A command that has ended. */
export interface Ended {
  /** Its exit code; {@linkcode TOO_LATE} if its time was up. */
  readonly code: number;
  /** All that it printed. */
  readonly output: string;
}

/** A command that is running. */
export interface Running {
  /** Identifier of its first process, whose group has all others. */
  readonly pid: number | undefined;
  /** How it ended. */
  readonly ended: Promise<Ended>;
  /** Ends all its processes. */
  stop(): void;
}

/**
 * Starts a command of the program's shell, where the programs of its packages are found by name.
 *
 * @param command The command
 * @param options Where it runs
 */
export function startCommand(command: string, { folder, env = {} }: Omit<CommandOptions, "limitMs">): Running {
  const { PATH = "" } = process.env;
  const child = spawn(command, {
    cwd: folder,
    shell: true,
    // a group of its own, so that what it starts can be ended with it
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // test runners neither watch files nor colour what they print
      CI: "true",
      NO_COLOR: "1",
      FORCE_COLOR: "0",
      PATH: `${join(folder, "node_modules", ".bin")}${delimiter}${PATH}`,
      ...env,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output += text);
  const ended = new Promise<Ended>((resolve) => {
    child.once("error", (error) => resolve({ code: 127, output: error.message }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
  return { pid: child.pid, ended, stop: () => stopGroup(child) };
}

/**
 * Runs a command to its end.
 *
 * @param command The command
 * @param options Where it runs, and for how long
 */
export async function runCommand(command: string, options: CommandOptions): Promise<Ended> {
  const running = startCommand(command, options);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    running.stop();
  }, options.limitMs);
  const { code, output } = await running.ended;
  clearTimeout(timer);
  return { code: isLate ? TOO_LATE : code, output };
}

/** The end of what a command printed. */
export function lastLines(output: string): string {
  return output.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}

function stopGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === "win32") return void spawn("taskkill", ["/pid", String(pid), "/T", "/F"]);
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // all of it has ended
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Runs the program's commands, with all their child processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Exit code of a command that timed out. */
export const TOO_LATE = 124;

/** Number of output lines in an error. */
const LAST_LINES = 15;

/** How to run a command. */
export interface CommandOptions {
  /** Its working directory. */
  readonly folder: string;
  /** Variables added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit in ms. */
  readonly limitMs: number;
}

/** A finished command. */
export interface Ended {
  /** Its exit code; {@linkcode TOO_LATE} on timeout. */
  readonly code: number;
  /** Its whole output. */
  readonly output: string;
}

/** A running command. */
export interface Running {
  /** Id of its first process, which is also the group id of all its processes. */
  readonly pid: number | undefined;
  /** Resolves when it exits. */
  readonly ended: Promise<Ended>;
  /** Kills all its processes. */
  stop(): void;
}

/**
 * Starts a command in the program's shell, with its packages' commands on the path.
 *
 * @param command The command
 * @param options Where to run it
 */
export function startCommand(command: string, { folder, env = {} }: Omit<CommandOptions, "limitMs">): Running {
  const { PATH = "" } = process.env;
  const child = spawn(command, {
    cwd: folder,
    shell: true,
    // its own group, so that child processes can be killed with it
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // keeps test runners from watching files and using colours
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
 * @param options Where to run it, and for how long
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

/** Returns the end of a command's output. */
export function lastLines(output: string): string {
  return output.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}

function stopGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === "win32") return void spawn("taskkill", ["/pid", String(pid), "/T", "/F"]);
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // all processes have ended
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

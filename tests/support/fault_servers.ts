/** The target for misbehaving clients, on every runtime with its own server. */
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { bundled } from "../contracts/bundled.ts";
import { packageFlags, skipNode } from "./node_program.ts";
import { startProgram } from "./program.ts";
import { settledDescriptors } from "./process_figures.ts";
import { ask } from "./raw_client.ts";
import { PATIENCE_MS } from "./patience.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const runtimes = Deno.env.get("SLUICE_RUNTIMES");

/** A server in a separate process. */
export interface FaultServer {
  readonly pid: number;
  readonly port: number;
  /** Its open descriptors while no client is connected. */
  readonly idle: number;
  /** Stops it and returns its stderr output. */
  stop(): Promise<string>;
}

export interface FaultRuntime {
  readonly name: string;
  /** Whether the runtime is missing on this machine. */
  readonly missing: boolean;
  /** The command that runs a program in `tests/fixtures/`. */
  command(fixture: string): Promise<readonly string[]>;
}

/** A way to serve the program. */
export interface FaultSubject {
  readonly name: string;
  readonly runtime: FaultRuntime;
  /** Its file in `tests/fixtures/faults/`. */
  readonly fixture: string;
}

const pathOf = (fixture: string) => `tests/fixtures/${fixture}.ts`;

export const DENO: FaultRuntime = {
  name: "Deno",
  missing: false,
  command: async (fixture) => [
    Deno.execPath(),
    "run",
    "-A",
    "--quiet",
    ...await packageFlags(fixture.replace("/", "_")),
    pathOf(fixture),
  ],
};

export const BUN: FaultRuntime = {
  name: "Bun",
  missing: runtimes === undefined,
  command: async (fixture) => [`${runtimes}node_modules/.bin/bun`, await bundled(pathOf(fixture))],
};

export const NODE: FaultRuntime = {
  name: "Node",
  missing: skipNode,
  command: async (fixture) => ["node", await bundled(pathOf(fixture), "deno")],
};

/** `app.listen` and, where the runtime accepts a handler, its own server. */
export const FAULT_SUBJECTS: readonly FaultSubject[] = [
  { name: "Deno listen", runtime: DENO, fixture: "listen" },
  { name: "Deno.serve", runtime: DENO, fixture: "served" },
  { name: "Bun listen", runtime: BUN, fixture: "listen" },
  { name: "Bun.serve", runtime: BUN, fixture: "served" },
  { name: "Node serve", runtime: NODE, fixture: "on_node" },
];

/**
 * Starts the program.
 *
 * @param subject How it is served
 * @param env Variables added to its environment
 */
export async function startFaultServer(
  { runtime, fixture }: FaultSubject,
  env: Record<string, string> = {},
): Promise<FaultServer> {
  const [command, ...args] = await runtime.command(`faults/${fixture}`);
  const options = { cwd: ROOT, env: { NODE_ENV: "test", ...env } };
  const { line, pid, stop } = await startProgram(command!, args, options);
  const server = { port: Number(line), pid, stop };
  // the first request opens files that stay open
  if (env["SOCKET"] === undefined) await ask(server, "/");
  return { ...server, idle: await settledDescriptors(server) };
}

/**
 * Runs a program that exits on its own.
 *
 * @param runtime Its runtime
 * @param fixture Its file in `tests/fixtures/faults/`
 * @returns Its output, parsed as JSON
 */
export async function printed(runtime: FaultRuntime, fixture: string): Promise<unknown> {
  const [command, ...args] = await runtime.command(`faults/${fixture}`);
  const { code, output } = await run(command!, args, { limitMs: PATIENCE_MS, quiet: true, cwd: ROOT });
  if (code !== 0) throw new Error(`${fixture} ended with ${code} on ${runtime.name}: ${output}`);
  return JSON.parse(output);
}

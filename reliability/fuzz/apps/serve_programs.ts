/**
 * The process that runs applications. It reads a program from each line on standard input, serves it in every way its
 * runtime supports, and prints the ports. At a line with `log`, it closes the servers and prints what the handlers saw.
 */
import { createInterface } from "node:readline";
import process from "node:process";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { build } from "./build_program.ts";
import { readProgram } from "./random_program.ts";

/** A server with one application. */
export interface Served {
  readonly port: number;
  close(): unknown;
}

/** Ways to serve an application, by name. */
export type Ways = Readonly<Record<string, (app: Any) => Promise<Served>>>;

/** Output for a program: the port for each way, or the name of the error thrown while building it. */
export type Started = { readonly ports: Readonly<Record<string, number>> } | { readonly refused: string };

/**
 * Serves programs until standard input ends.
 *
 * @param lib The library
 * @param ways Ways to serve its applications
 */
export async function servePrograms(lib: Any, ways: Ways): Promise<void> {
  let running: { way: string; server: Served; log: unknown[] }[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "log") {
      for (const { server } of running) await server.close();
      console.log(JSON.stringify(Object.fromEntries(running.map(({ way, log }) => [way, log])), shown));
      running = [];
      continue;
    }
    try {
      const built = Object.entries(ways).map(([way, serve]) => {
        const log: unknown[] = [];
        return { way, serve, log, app: build(readProgram(line), lib, log) };
      });
      for (const { way, serve, log, app } of built) running.push({ way, log, server: await serve(app) });
      print({ ports: Object.fromEntries(running.map(({ way, server }) => [way, server.port])) });
    } catch (error) {
      print({ refused: (error as Error).name });
    }
  }
}

function print(started: Started): void {
  console.log(JSON.stringify(started));
}

// JSON would omit it
function shown(_key: string, value: unknown): unknown {
  return value === undefined ? "(undefined)" : value;
}

import { fromCompareAndSet } from "../../../mod.ts";
import type { CompareAndSet } from "../../../mod.ts";
import { startProxy } from "../tcp_proxy.ts";
import type { LateSubject } from "./late_run.ts";

/** What a process takes from a reply to the next message, on a busy machine, in ms. */
const BUSY_MS = 250;

/** By how much later than it was decided a grant takes effect where the process decides by its own clock. */
export function writeIsLate(mostMs: number): number {
  return mostMs + BUSY_MS;
}

/**
 * A database that processes decide for by their own clocks, so that what they write arrives later than it was decided.
 *
 * @param name Its name
 * @param serverPort Where it listens
 * @param connect Connects a process to a port
 */
export function lateDatabase(
  name: string,
  serverPort: number,
  connect: (port: number) => { database: CompareAndSet; close: () => unknown },
): LateSubject {
  return {
    name,
    earlyMs: writeIsLate,
    connect(wire) {
      const proxy = startProxy(serverPort, wire);
      const { database, close } = connect(proxy.port);
      return {
        store: fromCompareAndSet(database, { attempts: 1000 }),
        async close() {
          await close();
          await proxy[Symbol.asyncDispose]();
        },
      };
    },
  };
}

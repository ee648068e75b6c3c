import { fromCompareAndSet } from "../../../mod.ts";
import type { CompareAndSet } from "../../../mod.ts";
import { startProxy } from "../tcp_proxy.ts";
import type { LateSubject } from "./late_run.ts";

/** Time from a reply to a process's next message on a busy machine, in ms. */
const BUSY_MS = 250;

/** How much later than its decision a grant takes effect if the process decides by its own clock. */
export function writeIsLate(mostMs: number): number {
  return mostMs + BUSY_MS;
}

/**
 * A database for which processes decide by their own clocks, so that writes arrive later than they were decided.
 *
 * @param name Its name
 * @param serverPort Port it listens on
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

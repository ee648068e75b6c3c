// Errors that would have crashed the process, listed at /faults: with a listener the process survives, and the list can
// be compared.
import process from "node:process";

const faults = [];
process.on("unhandledRejection", (error) => faults.push(`unhandled rejection: ${error?.code ?? error?.message}`));
process.on("uncaughtException", (error) => faults.push(`uncaught exception: ${error?.code ?? error?.message}`));

/** Lists at /faults the uncaught errors since the last request for it. */
export function tellFaults(app) {
  app.get("/faults", (_req, res) => {
    // later than any work an earlier handler has started
    setTimeout(() => res.json(faults.splice(0)), 40);
  });
}

/** Requests the faults, and expects none. */
export const noFaults = { path: "/faults", sees: { body: [] } };

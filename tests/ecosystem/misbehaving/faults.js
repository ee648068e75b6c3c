// What would have ended the process, asked for at /faults: with a listener it lives, and the list can be compared.
import process from "node:process";

const faults = [];
process.on("unhandledRejection", (error) => faults.push(`unhandled rejection: ${error?.code ?? error?.message}`));
process.on("uncaughtException", (error) => faults.push(`uncaught exception: ${error?.code ?? error?.message}`));

/** Tells at /faults what nobody caught since it was asked last. */
export function tellFaults(app) {
  app.get("/faults", (_req, res) => {
    // later than whatever a handler before has begun
    setTimeout(() => res.json(faults.splice(0)), 40);
  });
}

/** Asks for the faults; there must be none. */
export const noFaults = { path: "/faults", sees: { body: [] } };

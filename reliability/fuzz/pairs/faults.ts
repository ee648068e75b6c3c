import type { Any } from "../../../tests/support/sluice_and_express.ts";

/** Middleware with faults that the fuzzer must find; it runs behind both middlewares. */
export const FAULTS: Readonly<Record<string, Any>> = {
  "swallows drain": (_req: Any, res: Any, next: Any) => {
    const { emit } = res;
    res.emit = (event: string, ...args: unknown[]) => event === "drain" || emit.call(res, event, ...args);
    next();
  },
  "finishes twice": (_req: Any, res: Any, next: Any) => {
    res.once("finish", () => res.emit("finish"));
    next();
  },
};

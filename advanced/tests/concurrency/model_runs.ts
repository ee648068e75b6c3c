/** Load phases for modelled servers, run with adaptive and fixed limits. */
import { adaptiveConcurrency } from "@sluice/rate-limit";
import { Model, type ModelOptions, type Outcome, type Phase } from "./server_model.ts";

/** Load phases: always more requests than the server can process, so that the limit matters. */
export function phasesOf(servers: number): Phase[] {
  const usual = { servers, meanMs: 20, perSecond: servers / 20 * 1200, forMs: 20_000 };
  return [
    { ...usual, name: "warm-up", forMs: 30_000 },
    { ...usual, name: "steady" },
    { ...usual, name: "latency doubles", meanMs: 40 },
    { ...usual, name: "back again" },
    { ...usual, name: "capacity halves", servers: servers / 2 },
    { ...usual, name: "back again" },
    { ...usual, name: "load spikes tenfold", perSecond: usual.perSecond * 10, forMs: 6000 },
  ];
}

/** Runs phases with the adaptive limit. */
export function adaptive(phases: readonly Phase[], seed: number, options?: ModelOptions): Outcome[] {
  const model = new Model(seed, options);
  const limit = adaptiveConcurrency({ clock: () => model.now });
  return model.run(phases, () => limit.begin(), () => limit.figures.limit);
}

/** Runs phases with a fixed limit. */
export function fixed(phases: readonly Phase[], most: number, seed: number, options?: ModelOptions): Outcome[] {
  const model = new Model(seed, options);
  let inFlight = 0;
  const admit = () => {
    if (inFlight >= most) return null;
    inFlight++;
    return () => void inFlight--;
  };
  return model.run(phases, admit, () => most);
}

/** Mixed traffic at a limited rate to one server, and a check for leaks. */
import { descriptors, settledDescriptors } from "../../tests/support/process_figures.ts";
import { oneOf, random } from "../../tests/support/random.ts";
import { Child, commandOf, type RuntimeName } from "../support/children.ts";
import { ask } from "../support/http_client.ts";
import { type Slope, slopeOf } from "../support/slope.ts";
import { type Visited, VISITS } from "./visits.ts";

/** Concurrent visits. */
const CLIENTS = 8;
/** Time limit for a visit in ms; a longer visit counts as lost. */
const PATIENCE_MS = 20_000;
/** Fraction of the run that is warm-up, in which the heap is not measured. */
const WARM_UP = 0.25;
const SAMPLES = 24;
/** Descriptors that a runtime may open for itself; leaks would be far more. */
const OWN_DESCRIPTORS = 4;
/** Bytes per visit below which a heap counts as not growing. */
const LEAST_GROWTH = 32;

/** A soak test's result. */
export interface Soaked {
  readonly runtime: RuntimeName;
  readonly sent: number;
  /** Why visits failed. */
  readonly lost: readonly string[];
  readonly slowestMs: number;
  /** Heap growth in bytes per visit after the warm-up. */
  readonly heap: Slope;
  /** Descriptors before the first and after the last visit. */
  readonly descriptors: readonly [before: number, after: number];
  /** The server's stderr output. */
  readonly errors: string;
}

/** Duration and load. */
export interface SoakOptions {
  readonly forMs: number;
  /** Visits per second. */
  readonly rate: number;
  readonly seed: number;
  /** The server's program, by default the soak service. */
  readonly program?: string;
}

/**
 * Soaks a server.
 *
 * @param runtime Its runtime
 * @param options Duration and load
 */
export async function soak(runtime: RuntimeName, options: SoakOptions): Promise<Soaked> {
  const { forMs, rate, seed, program = "reliability/soak/program.ts" } = options;
  await using child = Child.start(await commandOf(runtime, program), { NODE_ENV: "test" });
  const port = Number(await child.line());
  const pick = random(seed);
  const names = Object.keys(VISITS);
  const client = Deno.createHttpClient({});
  const origin = `http://127.0.0.1:${port}`;
  const visited: Visited = {
    origin,
    pick,
    // the web types have no option `client`
    fetch: (path, init) => fetch(origin + path, { ...init, client } as RequestInit),
  };
  const heaps: [visits: number, bytes: number][] = [];
  const lost: string[] = [];
  let sent = 0;
  let slowestMs = 0;
  const sample = async () => void heaps.push([sent, Number((await ask(port, "/control/heap", PATIENCE_MS)).body)]);
  await ask(port, "/control/heap", PATIENCE_MS);
  const before = await settledDescriptors(child);
  const start = performance.now();
  const visit = async () => {
    const name = oneOf(pick, names);
    const begun = performance.now();
    sent++;
    try {
      await within(PATIENCE_MS, VISITS[name]!(visited));
    } catch (error) {
      lost.push(`${name}: ${error}`);
    }
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  };
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    for (let due = start + i * 1000 / rate; due < start + forMs; due += CLIENTS * 1000 / rate) {
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      // a client that is late skips the visits it missed
      else due = performance.now();
      await visit();
    }
  });
  for (let i = 0; i < SAMPLES; i++) {
    const due = start + forMs * (WARM_UP + (1 - WARM_UP) * i / (SAMPLES - 1));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    await sample();
  }
  await Promise.all(clients);
  client.close();
  const after = await restingDescriptors(child, before);
  return { runtime, sent, lost, slowestMs, heap: slopeOf(heaps), descriptors: [before, after], errors: child.errors };
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not within ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Open descriptors once idle connections have ended, after 15 seconds at most. */
async function restingDescriptors(child: Child, before: number): Promise<number> {
  for (
    const end = performance.now() + 15_000;
    descriptors(child) > before + OWN_DESCRIPTORS && performance.now() < end;
  ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return descriptors(child);
}

/** Whether visits leave descriptors open. */
export function leaks({ descriptors: [before, after] }: Soaked): boolean {
  return after > before + OWN_DESCRIPTORS;
}

/** Whether the heap grows by more than noise and a byte or two for a counter. */
export function grows({ heap: { perUnit, error } }: Soaked): boolean {
  return perUnit > LEAST_GROWTH && perUnit > 3 * error;
}

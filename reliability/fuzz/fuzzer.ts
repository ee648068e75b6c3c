/** Common base for all fuzzers: rounds of random steps, shrunk to the fewest and simplest steps that still fail. */
import { type Pick, random } from "../../tests/support/random.ts";
import { smallest } from "./smallest.ts";

/** A failure. */
export interface Wrong {
  /** The guarantee that was broken; each kind is reported once. */
  readonly kind: string;
  /** The observed behaviour. */
  readonly detail: string;
}

/** Generates steps and checks whether something goes wrong. Steps are plain values and are printed as they are. */
export interface Fuzzer<Step> {
  /** Its name in reports. */
  readonly name: string;
  /** The steps in a round. */
  round(pick: Pick): readonly Step[];
  /** Runs the steps, from as clean a state as possible. */
  check(steps: readonly Step[]): Promise<Wrong | undefined>;
  /** Simpler forms for a step, the simplest first. */
  simpler(step: Step): Iterable<Step>;
  /** A program, or part of one, that runs the steps. */
  print(steps: readonly Step[]): string;
}

/** A finding, shrunk as far as possible. */
export interface Finding extends Wrong {
  /** The fuzzer that found it. */
  readonly by: string;
  /** The round's seed, which reruns it alone. */
  readonly seed: number;
  /** Code to paste into a test. */
  readonly reproduction: string;
}

/** How long a fuzzer runs. */
export interface FuzzOptions {
  /** Seed for the random numbers. */
  readonly seed: number;
  /** Time during which rounds may begin, in ms; `Infinity` by default. */
  readonly forMs?: number;
  /** Maximum number of rounds; `Infinity` by default. */
  readonly rounds?: number;
  /** Number of distinct kinds of findings at which it stops; 8 by default. */
  readonly most?: number;
  /** Time spent on shrinking one finding in ms, 20 000 by default. */
  readonly smallerMs?: number;
}

/** A run's result. */
export interface FuzzReport {
  readonly by: string;
  /** Number of rounds. */
  readonly rounds: number;
  /** Number of steps, excluding those that shrank a finding. */
  readonly steps: number;
  /** Findings, one per kind. */
  readonly findings: readonly Finding[];
}

/**
 * Runs a fuzzer.
 *
 * @param fuzzer The fuzzer
 * @param options Seed and duration
 */
export async function fuzz<Step>(fuzzer: Fuzzer<Step>, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, forMs = Infinity, rounds = Infinity, most = 8, smallerMs = 20_000 } = options;
  const found = new Map<string, Finding>();
  const end = performance.now() + forMs;
  let round = 0;
  let done = 0;
  for (; round < rounds && performance.now() < end && found.size < most; round++) {
    const steps = fuzzer.round(random(seed + round));
    done += steps.length;
    const wrong = await fuzzer.check(steps);
    if (wrong === undefined || found.has(wrong.kind)) continue;
    const enough = performance.now() + smallerMs;
    const fails = async (some: readonly Step[]) =>
      performance.now() < enough && (await fuzzer.check(some))?.kind === wrong.kind;
    const few = await smallest(steps, fails, (step) => fuzzer.simpler(step));
    const again = await fuzzer.check(few);
    const detail = again?.kind === wrong.kind ? again.detail : `${wrong.detail} (not every time)`;
    const reproduction = fuzzer.print(few);
    found.set(wrong.kind, { kind: wrong.kind, detail, by: fuzzer.name, seed: seed + round, reproduction });
  }
  return { by: fuzzer.name, rounds: round, steps: done, findings: [...found.values()] };
}

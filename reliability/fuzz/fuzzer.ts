/** What all fuzzers have in common: rounds of random steps, and the fewest and smallest steps that still go wrong. */
import { type Pick, random } from "../../tests/support/random.ts";
import { smallest } from "./smallest.ts";

/** Something that went wrong. */
export interface Wrong {
  /** The promise that was broken; findings of one kind are reported once. */
  readonly kind: string;
  /** What was seen. */
  readonly detail: string;
}

/** Makes up steps and tells whether something goes wrong. Steps are plain values: they are printed as they are. */
export interface Fuzzer<Step> {
  /** Its name in reports. */
  readonly name: string;
  /** The steps of a round. */
  round(pick: Pick): readonly Step[];
  /** Does the steps, from a fresh start as far as anything can be left over. */
  check(steps: readonly Step[]): Promise<Wrong | undefined>;
  /** Simpler forms of a step, the simplest first. */
  simpler(step: Step): Iterable<Step>;
  /** A program, or part of one, that does the steps. */
  print(steps: readonly Step[]): string;
}

/** A finding, made as small as it gets. */
export interface Finding extends Wrong {
  /** The fuzzer that found it. */
  readonly by: string;
  /** The seed of the round, with which the round can be run alone. */
  readonly seed: number;
  /** What can be pasted into a test. */
  readonly reproduction: string;
}

/** How long a fuzzer runs. */
export interface FuzzOptions {
  /** Where chance begins. */
  readonly seed: number;
  /** ms after which no round is begun; `Infinity` by default. */
  readonly forMs?: number;
  /** Most rounds; `Infinity` by default. */
  readonly rounds?: number;
  /** Kinds of findings after which it stops, 8 by default. */
  readonly most?: number;
  /** ms that are spent on making one finding smaller, 20 000 by default. */
  readonly smallerMs?: number;
}

/** What a run came to. */
export interface FuzzReport {
  /** The fuzzer. */
  readonly by: string;
  /** Rounds done. */
  readonly rounds: number;
  /** Steps done, without those that made a finding smaller. */
  readonly steps: number;
  /** Findings, one of each kind. */
  readonly findings: readonly Finding[];
}

/**
 * Runs a fuzzer.
 *
 * @param fuzzer The fuzzer
 * @param options Where chance begins, and how long it runs
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

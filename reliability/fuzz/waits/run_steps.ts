/** How the fuzzers of limiters run their steps on one limiter. */
import { MemoryStore } from "../../../advanced/mod.ts";
import type { VirtualClock } from "../../../advanced/testing.ts";
import type { Wrong } from "../fuzzer.ts";
import type { MadeLimiter } from "./random_limiter.ts";

/** Makes the store of a limiter; tests plant faults there. */
export type MakeStore = (clock: VirtualClock) => MemoryStore;

/** Makes a store without faults. */
export const makeMemoryStore: MakeStore = (clock) => new MemoryStore({ clock: clock.read });

/** A limiter on which steps run. */
interface Subject<Step> {
  run(step: Step): Promise<Wrong | undefined>;
  /** Ends what is under way, and checks the rest. */
  recover?(): Promise<Wrong | undefined>;
  close(): Promise<void>;
}

/**
 * Runs steps in order until something goes wrong.
 *
 * @param steps The steps, the first of which makes the limiter; without that one, nothing runs
 * @param begin Makes the subject
 */
export async function runSteps<Step extends { readonly does: string }>(
  steps: readonly (Step | MadeLimiter)[],
  begin: (made: MadeLimiter) => Subject<Step | MadeLimiter>,
): Promise<Wrong | undefined> {
  const [first] = steps;
  if (first?.does !== "make") return undefined;
  const subject = begin(first as MadeLimiter);
  try {
    for (const step of steps) {
      const wrong = await subject.run(step);
      if (wrong !== undefined) return wrong;
    }
    return await subject.recover?.();
  } finally {
    await subject.close();
  }
}

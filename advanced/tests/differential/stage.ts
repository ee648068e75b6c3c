/** Time that stands still until the harness moves it to the next event. */
import { setImmediate } from "node:timers";
import { VirtualClock } from "@sluice/rate-limit/testing";

/** A virtual clock that reports when its next timer is due. */
export class Stage {
  readonly clock: VirtualClock;
  readonly #start: number;
  readonly #dues = new Set<{ readonly at: number }>();

  constructor(start: number) {
    this.clock = new VirtualClock(start);
    this.#start = start;
  }

  /** Time since the start, in ms. */
  get at(): number {
    return this.clock.now - this.#start;
  }

  /** When the next timer is due, in ms since the start; `Infinity` if there is none. */
  get due(): number {
    return Math.min(...Array.from(this.#dues, ({ at }) => at));
  }

  readonly timers = {
    now: (): number => this.clock.timers.now(),
    start: (fn: () => void, ms: number): () => void => {
      const due = { at: this.at + ms };
      this.#dues.add(due);
      const cancel = this.clock.timers.start(() => {
        this.#dues.delete(due);
        fn();
      }, ms);
      return () => {
        this.#dues.delete(due);
        cancel();
      };
    },
  };

  /** Waits for some ms of virtual time. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.timers.start(resolve, ms));
  }

  advanceTo(at: number): void {
    this.clock.advance(at - this.at);
  }
}

/** Runs everything that needs neither time nor the network. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 4; i++) await new Promise<void>((resolve) => void setImmediate(resolve));
}

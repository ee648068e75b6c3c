/** Timers that run when a test says so. */
export interface VirtualTimers extends Disposable {
  /** Number of timers that are set. */
  readonly pending: number;
  /** Runs the timers that are due within so many ms, in their order, each after what the one before it has begun. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  run(): void;
}

/** Replaces the system's timers until it is disposed of. */
export function virtualTimers(): VirtualTimers {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<number, Timer>();
  let now = 0;
  let made = 0;
  const settled = () => new Promise<void>((resolve) => void setTimeout(resolve, 0));
  Object.assign(globalThis, {
    setTimeout(run: () => void, ms = 0) {
      timers.set(++made, { at: now + ms, run });
      return made;
    },
    clearTimeout: (id: number) => void timers.delete(id),
  });
  return {
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await settled();
        const due = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        now = due[1].at;
        due[1].run();
      }
      now = end;
    },
    [Symbol.dispose]() {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    },
  };
}

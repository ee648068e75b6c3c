/** Timers that run when the test advances time. */
export interface VirtualTimers extends Disposable {
  /** Number of pending timers. */
  readonly pending: number;
  /** Runs the timers due within this many ms, in order. Each timer waits for the work that the previous one started. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  run(): void;
}

/** Replaces the system's timers until disposed of. */
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

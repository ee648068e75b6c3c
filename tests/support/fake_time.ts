/** Fake time, as in Jest and Sinon: the clock stands still, and `queueMicrotask` callbacks do not run. */
export interface FakeTime extends Disposable {
  /** Advances the clock; microtasks still do not run. */
  advance(ms: number): void;
}

/** Replaces the system's time with a fake one until it is disposed of. */
export function fakeTime(): FakeTime {
  const { Date: RealDate, queueMicrotask } = globalThis;
  const realNow = performance.now;
  const started = RealDate.now();
  let now = started;
  globalThis.Date = class extends RealDate {
    static override now = () => now;
  } as DateConstructor;
  performance.now = () => now - started;
  globalThis.queueMicrotask = () => {};
  return {
    advance: (ms) => now += ms,
    [Symbol.dispose]() {
      Object.assign(globalThis, { Date: RealDate, queueMicrotask });
      performance.now = realNow;
    },
  };
}

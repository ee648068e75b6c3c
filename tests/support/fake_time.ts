/** The fake time of a test, as Jest and Sinon make it: the clock stands still and microtasks of `queueMicrotask` wait. */
export interface FakeTime extends Disposable {
  /** Sets the clock forward; microtasks go on waiting. */
  advance(ms: number): void;
}

/** Puts a fake time in the place of the system's, until it is disposed of. */
export function fakeTime(): FakeTime {
  const { Date: RealDate, queueMicrotask } = globalThis;
  let now = RealDate.now();
  globalThis.Date = class extends RealDate {
    static override now = () => now;
  } as DateConstructor;
  globalThis.queueMicrotask = () => {};
  return {
    advance: (ms) => now += ms,
    [Symbol.dispose]() {
      Object.assign(globalThis, { Date: RealDate, queueMicrotask });
    },
  };
}

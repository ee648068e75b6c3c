/**
 * Times short operations, in ns, in batches so short that most run undisturbed: the minimum and median show how far to
 * trust the figures. V8 decides when to collect garbage: a forced collection changes how all later code runs.
 */

/** ns per call, in alternating batches. */
export interface Batches {
  /** The floor: the least work possible. */
  readonly floor: readonly number[];
  /** The contestant. */
  readonly own: readonly number[];
}

/** The function to call many times; promises are awaited. */
export type Call = (turn: number) => unknown;

const BATCH_MS = 1;
/** Few enough that objects prepared for them are collected young. */
const MOST_CALLS = 300;
const WARM_UP_MS = 500;

/** Prepares a batch of calls, so that preparation is not timed. */
export type Prepare = (calls: number) => void;

/**
 * Times a contestant alternately with the floor.
 *
 * @param floor The least work possible
 * @param own The contestant
 * @param prepare Runs before every batch
 * @returns A function that times the given number of batches of both
 */
export async function besides(
  floor: Call,
  own: Call,
  prepare?: Prepare,
): Promise<(batches: number) => Promise<Batches>> {
  const [floorSize, ownSize] = [await sizeOf(floor, prepare), await sizeOf(own, prepare)];
  return async (batches) => {
    const result = { floor: [] as number[], own: [] as number[] };
    for (let i = 0; i < batches; i++) {
      result.floor.push(await time(floor, floorSize, prepare));
      result.own.push(await time(own, ownSize, prepare));
    }
    return result;
  };
}

// also compiles the code, before anything is timed
async function sizeOf(call: Call, prepare: Prepare | undefined): Promise<number> {
  let size = 16;
  const end = performance.now() + WARM_UP_MS;
  while (performance.now() < end) {
    const ns = await time(call, size, prepare);
    size = Math.max(16, Math.min(2 * size, Math.ceil(BATCH_MS * 1e6 / ns), MOST_CALLS));
  }
  return size;
}

async function time(call: Call, size: number, prepare: Prepare | undefined): Promise<number> {
  prepare?.(size);
  const begin = performance.now();
  for (let turn = 0; turn < size; turn++) {
    const result = call(turn);
    if (result instanceof Promise) await result;
  }
  return (performance.now() - begin) * 1e6 / size;
}

/**
 * Returns the contestant's time beyond the floor, in ns.
 *
 * @param all Batches for both
 * @param of The statistic over the batches: their median, or the minimum, which excludes disturbances
 */
export function overFloor(all: readonly Batches[], of: (values: readonly number[]) => number): number {
  return of(all.flatMap(({ own }) => own)) - of(all.flatMap(({ floor }) => floor));
}

/** Returns the smallest value. */
export function least(values: readonly number[]): number {
  return Math.min(...values);
}

/**
 * Time of small things, in ns of the clock, in batches so short that most are disturbed by nobody: the least of them and
 * their median say how far to trust them. Garbage is collected when V8 sees fit: a collection that is asked for changes how
 * everything after it runs.
 */

/** ns of one call in batches that were taken in turn. */
export interface Batches {
  /** The least that anybody has to do. */
  readonly floor: readonly number[];
  /** The contestant. */
  readonly own: readonly number[];
}

/** Something to be called many times; promises are awaited. */
export type Call = (turn: number) => unknown;

const BATCH_MS = 1;
/** So few that what is prepared for them dies young. */
const MOST_CALLS = 300;
const WARM_UP_MS = 500;

/** Makes what a batch of calls needs, so that making it does not count. */
export type Prepare = (calls: number) => void;

/**
 * Takes a contestant's time beside the floor's.
 *
 * @param floor The least that anybody has to do
 * @param own The contestant
 * @param prepare Runs before every batch
 * @returns Takes that many batches of both
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

// also compiles the code, before anything counts
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
 * What the contestant takes beyond the floor, in ns.
 *
 * @param all Batches of both
 * @param of What of many batches counts: their median, or the least, in which others have no part
 */
export function overFloor(all: readonly Batches[], of: (values: readonly number[]) => number): number {
  return of(all.flatMap(({ own }) => own)) - of(all.flatMap(({ floor }) => floor));
}

/** The smallest. */
export function least(values: readonly number[]): number {
  return Math.min(...values);
}

/**
 * Time of small things, in ns of the processor: under load by others too the same figures come out, within a few
 * percent. For programs started by `child.ts`, which lets them collect garbage.
 */
import process from "node:process";

/** ns of one call in batches that were taken in turn. */
export interface Batches {
  /** The least that anybody has to do. */
  readonly floor: readonly number[];
  /** The contestant. */
  readonly own: readonly number[];
}

/** Something to be called many times; promises are awaited. */
export type Call = (turn: number) => unknown;

const BATCH_NS = 4e6;
const WARM_UP_US = 400_000;

/**
 * Takes a contestant's time beside the floor's.
 *
 * @param floor The least that anybody has to do
 * @param own The contestant
 * @returns Takes that many batches of both
 */
export async function besides(floor: Call, own: Call): Promise<(batches: number) => Promise<Batches>> {
  const [floorSize, ownSize] = [await sizeOf(floor), await sizeOf(own)];
  return async (batches) => {
    const result = { floor: [] as number[], own: [] as number[] };
    for (let i = 0; i < batches; i++) {
      result.floor.push(await time(floor, floorSize));
      result.own.push(await time(own, ownSize));
    }
    return result;
  };
}

// also compiles the code, before anything counts
async function sizeOf(call: Call): Promise<number> {
  let size = 16;
  let ns = 0;
  const end = processorTime() + WARM_UP_US;
  while (processorTime() < end) {
    ns = await time(call, size);
    size = Math.max(16, Math.min(2 * size, Math.ceil(BATCH_NS / ns), 20_000));
  }
  return size;
}

async function time(call: Call, size: number): Promise<number> {
  const begin = processorTime();
  for (let turn = 0; turn < size; turn++) {
    const result = call(turn);
    if (result instanceof Promise) await result;
  }
  // everybody pays for their own garbage; otherwise whoever comes next does
  gc({ type: "minor" });
  return (processorTime() - begin) * 1000 / size;
}

function gc(options: { type: "minor" }): void {
  (globalThis as unknown as { gc(options: object): void }).gc(options);
}

// µs; the clock would also count what other programs take
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
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

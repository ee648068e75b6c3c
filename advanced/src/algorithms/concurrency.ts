import type { Algorithm, Cells } from "./algorithm.ts";

// the next lease number, the lease count, then the number, expiry and units of each lease
const NEXT = 0;
const LENGTH = 1;
const LEASES = 2;

/** Leases started in this process. */
let begun = 0;

/**
 * Counts operations in progress: a lease is held until it is released, or for at most `windowMs`.
 *
 * The wait is an upper bound: a lease may be released sooner, and another caller may take it.
 */
export const concurrency: Algorithm = {
  width: () => 0,
  room: ({ limit }, cells, now) => limit - held(cells, now),
  take({ windowMs }, cells, now, units, by = now) {
    dropExpired(cells, now);
    const { array } = cells;
    // numbers begin with the time and differ within a ms: a forgotten key's lease is never mistaken for a new one
    const number = Math.max(array.length === 0 ? 0 : array[NEXT]!, now * 1000 + begun++ % 1000);
    append(cells, number, by + windowMs, units);
    cells.array[NEXT] = number + 1;
    return number;
  },
  wait({ limit }, cells, now, units) {
    let missing = held(cells, now) + units - limit;
    if (missing <= 0) return 0;
    for (const [expiry, freed] of byExpiry(cells, now)) {
      missing -= freed;
      if (missing <= 0) return expiry - now;
    }
    return 0;
  },
  reset(_policy, cells, now) {
    let latest = now;
    for (const [expiry] of byExpiry(cells, now)) latest = Math.max(latest, expiry);
    return latest - now;
  },
  give(_policy, cells, now, stamp, units) {
    const { array } = cells;
    for (let i = LEASES; i < endOf(cells); i += 3) {
      if (array[i] !== stamp || array[i + 1]! <= now) continue;
      array[i + 2] = array[i + 2]! - units;
      if (array[i + 2]! <= 0) remove(cells, i);
      return true;
    }
    return false;
  },
  shorten({ windowMs }, cells, now) {
    const { array } = cells;
    for (let i = LEASES; i < endOf(cells); i += 3) array[i + 1] = Math.min(array[i + 1]!, now + windowMs);
  },
  extend: () => 0,
};

function endOf({ array }: Cells): number {
  return LEASES + 3 * (array.length === 0 ? 0 : array[LENGTH]!);
}

function held(cells: Cells, now: number): number {
  let sum = 0;
  for (let i = LEASES; i < endOf(cells); i += 3) if (cells.array[i + 1]! > now) sum += cells.array[i + 2]!;
  return sum;
}

function byExpiry(cells: Cells, now: number): [expiry: number, units: number][] {
  const leases: [number, number][] = [];
  for (let i = LEASES; i < endOf(cells); i += 3) {
    if (cells.array[i + 1]! > now) leases.push([cells.array[i + 1]!, cells.array[i + 2]!]);
  }
  return leases.sort((a, b) => a[0] - b[0]);
}

function dropExpired(cells: Cells, now: number): void {
  for (let i = endOf(cells) - 3; i >= LEASES; i -= 3) if (cells.array[i + 1]! <= now) remove(cells, i);
}

function append(cells: Cells, number: number, expiry: number, units: number): void {
  const end = endOf(cells);
  if (end + 3 > cells.array.length) {
    const longer = new Float64Array(Math.max(LEASES + 6, LEASES + 2 * (end - LEASES) + 3));
    longer.set(cells.array);
    cells.array = longer;
  }
  cells.array.set([number, expiry, units], end);
  cells.array[LENGTH]!++;
}

function remove(cells: Cells, i: number): void {
  cells.array.copyWithin(i, i + 3, endOf(cells));
  cells.array[LENGTH]!--;
}

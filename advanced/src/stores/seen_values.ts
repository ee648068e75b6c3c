import { GenerationalCache } from "@sluice/shared";
import type { VersionedValue } from "./compare_and_set.ts";

/** Values to decide on, and the database's time; `undefined` if it reports none. */
export interface Snapshot {
  /** The values, in their keys' order. */
  readonly values: readonly VersionedValue[];
  /** The time in ms. */
  readonly now: number | undefined;
}

/** Maximum keys with cached values. */
const MOST = 10_000;
/** Longest cached value, in bytes; a full cache then holds at most 30 MB. */
const LONGEST = 1024;
/** The assumed value for unknown keys. */
const ABSENT: VersionedValue = { value: null, version: null };

/** The cached state of a key. */
interface Seen {
  /** The last known value; `null` if it must be read. */
  value: VersionedValue | null;
  /** Whether another process had changed it when it was last read. */
  isShared: boolean;
  /** The time in ms until which it almost certainly refuses; until then, it is read first. */
  refusesUntil: number;
}

/**
 * The last known values by key, and the earliest time it can be in the database now.
 *
 * Only the database can tell whether they are current. An unknown key is assumed to have no value, as long as that was
 * true for the last one.
 */
export class SeenValues {
  readonly #keys = new GenerationalCache<Seen>(MOST);
  readonly #elapsed: () => number;
  readonly #clock: () => number;
  /** Whether the last unknown key had a value, written by another process or an earlier run. */
  #strangersHave = false;
  #hasHeard = false;
  /** The database's minimum lead over the process's time in ms, `null` if it reports none. */
  #lead: number | null = null;

  /**
   * Creates an instance.
   *
   * @param elapsed A clock in ms; only differences matter
   * @param clock The time in ms to use if the database reports none
   */
  constructor(elapsed: () => number, clock: () => number) {
    this.#elapsed = elapsed;
    this.#clock = clock;
  }

  /**
   * Returns the keys' assumed values.
   *
   * @param ids The keys
   * @returns Their values and a time; `null` if they should be read instead: another process seems to change one, one
   * refuses, one is too long, or the database has not replied yet
   */
  recall(ids: readonly string[]): Snapshot | null {
    if (!this.#hasHeard) return null;
    let now = this.now();
    const values: VersionedValue[] = [];
    for (const id of ids) {
      const seen = this.#keys.get(id);
      if (seen === undefined ? this.#strangersHave : seen.isShared || seen.value === null) return null;
      const value = seen?.value ?? ABSENT;
      values.push(value);
      // the last reply need not be the latest: a key is never decided on for a time before it was seen
      if (value.now !== undefined && now !== undefined && value.now > now) now = value.now;
      if (seen !== undefined && seen.refusesUntil > (now ?? this.#clock())) return null;
    }
    return { values, now };
  }

  /**
   * Records a reply.
   *
   * @param ids The keys
   * @param values The current values
   * @param decided The time it was decided for, if this process has just written it
   */
  note(ids: readonly string[], values: readonly VersionedValue[], decided?: number): void {
    ids.forEach((id, i) => this.#note(id, values[i]!, decided));
    this.#hasHeard = true;
    const now = values.at(-1)?.now;
    // replies may be delayed by any amount, so the fastest one gives the best estimate
    if (now !== undefined) this.#lead = Math.max(this.#lead ?? -Infinity, now - this.#elapsed());
  }

  /** The earliest time it can be in the database now, in whole ms; `undefined` if it reports none. */
  now(): number | undefined {
    return this.#lead === null ? undefined : Math.floor(this.#lead + this.#elapsed());
  }

  /** Records that the database's time is earlier than assumed: its clock is slower, or was set back. */
  setBack(now: number): void {
    this.#lead = now - this.#elapsed();
  }

  #note(id: string, { value, version, now }: VersionedValue, decided: number | undefined): void {
    let kept: VersionedValue | null = null;
    if (value === null || value.length <= LONGEST) {
      kept = now === undefined ? { value, version } : { value, version, now: Math.max(now, decided ?? now) };
    }
    const seen = this.#keys.get(id);
    if (seen === undefined) {
      this.#strangersHave = decided === undefined && value !== null;
      this.#keys.set(id, { value: kept, isShared: false, refusesUntil: 0 });
      return;
    }
    if (decided === undefined) seen.isShared = seen.value !== null && seen.value.version !== version;
    seen.value = kept;
    seen.refusesUntil = 0;
  }

  /** Records that keys were refused, and when that ends if nothing changes them. */
  noteRefusal(ids: readonly string[], until: number): void {
    for (const id of ids) {
      const seen = this.#keys.get(id);
      if (seen !== undefined) seen.refusesUntil = until;
    }
  }

  /** Forces a read before the next decision on these keys. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      const seen = this.#keys.get(id);
      if (seen === undefined) this.#keys.set(id, { value: null, isShared: false, refusesUntil: 0 });
      else seen.value = null;
    }
  }
}

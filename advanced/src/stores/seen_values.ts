import { GenerationalCache } from "@sluice/shared";
import type { VersionedValue } from "./compare_and_set.ts";

/** Values to decide on, and the database's time for it; `undefined` where it tells none. */
export interface Snapshot {
  /** The values, in the order of their keys. */
  readonly values: readonly VersionedValue[];
  /** The time in ms. */
  readonly now: number | undefined;
}

/** Keys whose values are remembered. */
const MOST = 10_000;
/** Longest value that is remembered, in bytes: all of them take 30 MB at most. */
const LONGEST = 1024;
/** What is assumed of keys that are not known. */
const ABSENT: VersionedValue = { value: null, version: null };

/** What is known of a key. */
interface Seen {
  /** The value that was seen last; `null` if it has to be read. */
  value: VersionedValue | null;
  /** Whether another process had changed it when it was looked at last. */
  isShared: boolean;
  /** The time in ms until which it is as good as sure that it refuses: then a read tells. */
  refusesUntil: number;
}

/**
 * What was seen last of keys, and how late it must be in the database by now at least.
 *
 * Whether it is still so, only the database can tell. A key that is not known is assumed to have no value, as long as
 * that was so for the last one.
 */
export class SeenValues {
  readonly #keys = new GenerationalCache<Seen>(MOST);
  readonly #elapsed: () => number;
  readonly #clock: () => number;
  /** Whether the last key that was not known had a value, from another process or before this one. */
  #strangersHave = false;
  #hasHeard = false;
  /** By how many ms the database's time is ahead of the process's at least, `null` if it tells none. */
  #lead: number | null = null;

  /**
   * Creates an instance.
   *
   * @param elapsed A clock in ms; only differences count
   * @param clock The time in ms that counts where the database tells none
   */
  constructor(elapsed: () => number, clock: () => number) {
    this.#elapsed = elapsed;
    this.#clock = clock;
  }

  /**
   * What can be assumed of keys.
   *
   * @param ids The keys
   * @returns Their values and a time; `null` if it is better to read them: others seem to change one, it refuses, it is
   * too long, or nothing was heard of the database yet
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
      // the reply heard last need not be the latest: no key is decided on for a time before it was seen
      if (value.now !== undefined && now !== undefined && value.now > now) now = value.now;
      if (seen !== undefined && seen.refusesUntil > (now ?? this.#clock())) return null;
    }
    return { values, now };
  }

  /**
   * Remembers what a reply says.
   *
   * @param ids The keys
   * @param values What there is
   * @param decided The time for which it was decided, if this process has just written it
   */
  note(ids: readonly string[], values: readonly VersionedValue[], decided?: number): void {
    ids.forEach((id, i) => this.#note(id, values[i]!, decided));
    this.#hasHeard = true;
    const now = values.at(-1)?.now;
    // a reply may be late by any time, so the one that was the least tells the best
    if (now !== undefined) this.#lead = Math.max(this.#lead ?? -Infinity, now - this.#elapsed());
  }

  /** The time it is in the database by now at least, in whole ms; `undefined` where it tells none. */
  now(): number | undefined {
    return this.#lead === null ? undefined : Math.floor(this.#lead + this.#elapsed());
  }

  /** Notes that it is not yet as late in the database as was thought: its clock is slower, or was set back. */
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

  /** Remembers that keys refused something, and until when that lasts if nobody changes them. */
  noteRefusal(ids: readonly string[], until: number): void {
    for (const id of ids) {
      const seen = this.#keys.get(id);
      if (seen !== undefined) seen.refusesUntil = until;
    }
  }

  /** Lets keys be read before they are decided on again. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      const seen = this.#keys.get(id);
      if (seen === undefined) this.#keys.set(id, { value: null, isShared: false, refusesUntil: 0 });
      else seen.value = null;
    }
  }
}

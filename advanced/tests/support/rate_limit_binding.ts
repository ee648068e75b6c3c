import type { RateLimitBindingLike } from "../../cloudflare.ts";

/**
 * Cloudflare's rate limiting binding as documented, on the given clock. It has one limit, and periods that start by the
 * clock rather than with a key. Results report only whether a call was within the limit.
 */
export class FakeBinding implements RateLimitBindingLike {
  /** Keys from all calls so far. */
  readonly keys: string[] = [];
  /** Reply to every call, if set. */
  reply: Promise<unknown> | null = null;
  readonly #limit: number;
  readonly #periodMs: number;
  readonly #now: () => number;
  #period = NaN;
  #counts = new Map<string, number>();

  /** Creates a binding with this configuration. */
  constructor(now: () => number, { limit, period }: { limit: number; period: 10 | 60 }) {
    this.#now = now;
    this.#limit = limit;
    this.#periodMs = period * 1000;
  }

  /** Counts a call. */
  async limit(options: { key: string }): Promise<{ success: boolean }> {
    const unknown = Object.keys(options).filter((name) => name !== "key");
    if (unknown.length > 0 || typeof options.key !== "string") throw new Error(`bad rate limit options: ${unknown}`);
    const { key } = options;
    this.keys.push(key);
    if (this.reply !== null) return await this.reply as { success: boolean };
    const period = Math.floor(this.#now() / this.#periodMs);
    if (period !== this.#period) {
      this.#period = period;
      this.#counts = new Map();
    }
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#limit) return { success: false };
    this.#counts.set(key, count + 1);
    return { success: true };
  }
}

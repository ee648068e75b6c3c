/** A service whose clients disconnect, in any framework. It reports the state of its handlers and limits. */
import type { Limiter } from "@sluice/rate-limit";

/** Observed figures. */
export interface Figures {
  /** Handlers that have started. */
  readonly begun: number;
  /** Closed responses. */
  readonly closed: number;
  /** Tokens left, out of 100. */
  readonly tokens: number;
  /** Free slots, out of 3. */
  readonly slots: number;
  /** Requests in progress for an adaptive limit; `null` without one. */
  readonly inFlight: number | null;
}

/** Token limit options: the estimate is 20, and the handler reports the actual use. */
export const TOKENS = { limit: 100, windowMs: 3_600_000, maxDebt: 500, cost: 20, keyGenerator: () => "key" } as const;

/** Concurrency limit options. */
export const SLOTS = { algorithm: "concurrency", limit: 3, windowMs: 3_600_000, keyGenerator: () => "key" } as const;

export class WatchedService {
  #begun = 0;
  #closed = 0;
  #waiting: (() => void)[] = [];

  /** Simulates a model call, which runs until the gate opens, whether or not a caller still waits. */
  async model(): Promise<{ tokens: number }> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { tokens: 60 };
  }

  /** Records when a handler starts, and when its response is closed. */
  begin(res: { on(event: "close", listener: () => void): unknown }): void {
    this.#begun++;
    res.on("close", () => this.#closed++);
  }

  /** Opens the gate for waiting handlers. */
  open(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Returns the observed figures. */
  async figures(tokens: Limiter, slots: Limiter, inFlight: number | null): Promise<Figures> {
    const [{ remaining }, { remaining: free }] = [await tokens.peek("key"), await slots.peek("key")];
    return { begun: this.#begun, closed: this.#closed, tokens: remaining, slots: free, inFlight };
  }
}

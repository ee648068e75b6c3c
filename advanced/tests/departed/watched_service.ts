/** A service whose clients leave: what its handlers do, and what its limits say, whatever framework it is written in. */
import type { Limiter } from "@sluice/rate-limit";

/** What can be seen of it. */
export interface Figures {
  /** Handlers that have begun. */
  readonly begun: number;
  /** Responses that were closed. */
  readonly closed: number;
  /** Tokens that are left, of 100. */
  readonly tokens: number;
  /** Slots that are free, of 3. */
  readonly slots: number;
  /** Requests in progress, for a limit that finds itself; `null` where there is none. */
  readonly inFlight: number | null;
}

/** Options of the limit on tokens: estimated at 20, and known when the handler has said so. */
export const TOKENS = { limit: 100, windowMs: 3_600_000, maxDebt: 500, cost: 20, keyGenerator: () => "key" } as const;

/** Options of the limit on requests at once. */
export const SLOTS = { algorithm: "concurrency", limit: 3, windowMs: 3_600_000, keyGenerator: () => "key" } as const;

/** The service. */
export class WatchedService {
  #begun = 0;
  #closed = 0;
  #waiting: (() => void)[] = [];

  /** Stands for a call of a model, which takes until the gate is opened, whoever waits for it. */
  async model(): Promise<{ tokens: number }> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { tokens: 60 };
  }

  /** Notes that a handler has begun, and when its response is closed. */
  begin(res: { on(event: "close", listener: () => void): unknown }): void {
    this.#begun++;
    res.on("close", () => this.#closed++);
  }

  /** Opens the gate for the handlers that wait at it. */
  open(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** What can be seen. */
  async figures(tokens: Limiter, slots: Limiter, inFlight: number | null): Promise<Figures> {
    const [{ remaining }, { remaining: free }] = [await tokens.peek("key"), await slots.peek("key")];
    return { begun: this.#begun, closed: this.#closed, tokens: remaining, slots: free, inFlight };
  }
}

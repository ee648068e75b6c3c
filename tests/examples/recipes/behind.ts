/**
 * A server that the program talks to: as the target of its proxy, the receiver and sender of webhooks, and the source
 * of keys.
 */
import { PATIENCE_MS } from "../../support/patience.ts";
import type { JWK } from "jose";
import sluice, { type FrameworkApp } from "@sluice/sluice";

/** How the service responds to requests. */
export interface Plan {
  /** Names the plan. */
  readonly flag: string;
  /** Its statuses, one after the other. */
  readonly statuses: readonly number[];
  /** Whether it waits for `release` and the flag before it responds. */
  readonly isHeld?: boolean;
}

/** The server, and events on it, by names that a case chooses. */
export class Behind {
  /** The server's application. */
  readonly app: FrameworkApp = sluice().set("env", "test");
  readonly #keys = new Map<string, (string | undefined)[]>();
  readonly #events = new Map<string, PromiseWithResolvers<void>>();
  /** The server's origin. */
  origin = "";

  /** @param keys Private keys; like a token provider, the server publishes their public parts */
  constructor(keys: readonly JWK[]) {
    const { app } = this;
    app.get("/keys", (_req, res) => res.json({ keys: keys.map(({ d: _, ...known }) => ({ ...known, alg: "ES256" })) }));
    app.get("/arrived-and-waits/:flag", (req) => {
      const { flag } = req.params;
      req.signal.addEventListener("abort", () => this.happens(`left ${flag}`));
      this.happens(`arrived ${flag}`);
    });
    app.get("/begun/:flag", (req, res) => {
      // workerd notices a disconnect when it writes to the client
      const timer = setInterval(() => res.write("more"), 10);
      res.on("close", () => {
        clearInterval(timer);
        this.happens(`left ${req.params.flag}`);
      });
    });
    app.post("/orders", sluice.json(), async (req, res) => {
      const { flag, statuses, isHeld = false } = req.body.items[0] as Plan;
      const keys = [...this.keys(flag), req.get("idempotency-key")];
      this.#keys.set(flag, keys);
      this.happens(`told ${flag} ${keys.length}`);
      if (isHeld) await this.wait(`release ${flag}`);
      res.on("finish", () => this.happens(`responded ${flag} ${keys.length}`));
      res.status(statuses[keys.length - 1]!).set("Location", "/").end();
    });
    app.post("/echo", (req) => new Response(req.request.body));
    app.get("/moved", (_req, res) => res.redirect(`${this.origin}/elsewhere?a=1`));
    app.get("/relative", (_req, res) => res.redirect("/elsewhere"));
    app.get("/nothing", (_req, res) => void res.status(204).end());
    app.get("/fails", (_req, res) => {
      res.write("half");
      setTimeout(() => res.destroy(), 5);
    });
    app.use(async (req, res) => {
      const { method, url, headers, request } = req;
      res.status(201).cookie("a", "1").cookie("b", "2").set({ "X-Own": "1", "Connection": "X-Hop", "X-Hop": "1" });
      res.json({ method, url, headers, body: await request.text() });
    });
  }

  /** Each delivery's `Idempotency-Key`, for a plan. */
  keys(flag: string): readonly (string | undefined)[] {
    return this.#keys.get(flag) ?? [];
  }

  /** Waits for an event. */
  async wait(event: string): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const late = setTimeout(() => reject(new Error(`Not within ${PATIENCE_MS} ms: ${event}`)), PATIENCE_MS);
    await Promise.race([this.#of(event).promise, promise]).finally(() => clearTimeout(late));
  }

  /** Records an event. */
  happens(event: string): void {
    this.#of(event).resolve();
  }

  #of(event: string): PromiseWithResolvers<void> {
    const known = this.#events.get(event) ?? Promise.withResolvers<void>();
    this.#events.set(event, known);
    return known;
  }
}

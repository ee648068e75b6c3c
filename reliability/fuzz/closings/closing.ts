import type { Server } from "@sluice/sluice";
import type { CloseAction } from "./life.ts";

/** A server that the application has started. */
export interface Opened {
  readonly server: Server;
  /** Its port, once it listens; `undefined` if it was closed before. */
  readonly port: Promise<number | undefined>;
  /** The closings that include it. */
  readonly closings: Closing[];
}

/** One closing, which several calls to `app.close` may share. */
export class Closing {
  readonly begunAt = performance.now();
  /** The servers that it closes. */
  readonly servers: readonly Opened[];
  /** When requests may be refused. */
  stopsAt: number;
  /** When everything left may be cut. */
  cutsAt = Infinity;
  /** When it emitted `closing`. */
  toldAt: number | undefined;
  /** When its promise settled. */
  settledAt: number | undefined;

  /**
   * @param servers The servers that it closes
   * @param action The call that began it
   */
  constructor(servers: readonly Opened[], action: Pick<CloseAction, "drainDelayMs" | "timeoutMs">) {
    this.servers = servers;
    this.stopsAt = this.begunAt + (action.drainDelayMs ?? 0);
    for (const server of servers) server.closings.push(this);
    this.join(action);
  }

  /** Applies a call's time limit. */
  join({ timeoutMs }: Pick<CloseAction, "timeoutMs">): void {
    if (timeoutMs === undefined) return;
    const now = performance.now();
    this.cutsAt = Math.min(this.cutsAt, now + timeoutMs);
    if (timeoutMs === 0) this.stopsAt = Math.min(this.stopsAt, now);
  }
}

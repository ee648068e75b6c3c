import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { RequestsInProgress } from "../../../limiting/requests_in_progress.ts";
import { type LoopClock, LoopDelay } from "./loop_delay.ts";
import type { CheckedShedLoad, RequestPriority } from "./options.ts";
import { Threshold } from "./threshold.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/**
 * How long an event loop may go without idling, as a multiple of the longest allowed turn. A loop that is 95 % busy can
 * also go long without idling; with a request queue it never idles.
 */
const BUSY_TURNS = 5;

/** Interval between heap measurements, in ms; each takes some microseconds. */
const HEAP_EVERY_MS = 100;

/** Counters and measurements from `shedLoad`. */
export interface LoadFigures {
  /** Requests admitted. */
  readonly admitted: number;
  /** Requests refused, by cause. */
  readonly refused: { readonly eventLoopDelay: number; readonly pending: number; readonly heap: number };
  /**
   * Admitted requests with incomplete responses, including those with disconnected clients while the handler still
   * runs; 0 unless `maxPending` is set.
   */
  readonly pending: number;
  /** Duration of the last measured event loop turn, in ms; 0 if no request has arrived for a while. */
  readonly eventLoopDelayMs: number;
  /** Whether normal-priority requests are being refused. */
  readonly overloaded: boolean;
}

/** The exceeded limit. */
export type Cause = keyof LoadFigures["refused"];

/** The limits for one priority. */
class Limits {
  readonly turn: Threshold;
  readonly busy: Threshold;
  readonly heap: Threshold;
  readonly pending: number;

  constructor({ maxEventLoopDelayMs, maxHeapBytes, maxPending }: CheckedShedLoad, share: number) {
    const longest = maxEventLoopDelayMs * share;
    this.turn = new Threshold(longest, longest / 2);
    this.busy = new Threshold(longest * BUSY_TURNS, longest);
    this.heap = new Threshold(maxHeapBytes * share, maxHeapBytes * share * 0.9);
    this.pending = maxPending * share;
  }
}

/** The load: measurements, counters and whether they exceed a limit. */
export class Load {
  readonly #options: CheckedShedLoad;
  readonly #normal: Limits;
  readonly #low: Limits;
  readonly #delay: LoopDelay;
  readonly #requests: RequestsInProgress;
  readonly #refused = { eventLoopDelay: 0, pending: 0, heap: 0 };
  /** Pending requests that ask for an upgrade, and what ends their count. */
  readonly #upgrading = new Map<FrameworkResponse, () => void>();
  #admitted = 0;
  #pending = 0;
  /** The runtime and its clock; set with the first request. */
  #runtime: RuntimeSupport | null = null;
  #clock: LoopClock | null = null;
  #heapSeen = Number.NEGATIVE_INFINITY;

  constructor(options: CheckedShedLoad) {
    this.#options = options;
    this.#requests = new RequestsInProgress(options.clock);
    this.#normal = new Limits(options, 1);
    this.#low = new Limits(options, 0.5);
    const [{ turn, busy }, low] = [this.#normal, this.#low];
    this.#delay = new LoopDelay([turn, low.turn], [busy, low.busy], options.maxEventLoopDelayMs);
  }

  /** Measures when a request arrives. */
  note({ app: { [runtimeKey]: runtime } }: FrameworkRequest): void {
    const { clock, maxHeapBytes } = this.#options;
    this.#runtime ??= runtime;
    this.#clock ??= { now: clock, nextTurn: runtime.nextTurn, idleMs: runtime.idleMs };
    this.#delay.note(this.#clock);
    if (maxHeapBytes !== Infinity && clock() - this.#heapSeen >= HEAP_EVERY_MS) this.#lookAtHeap(runtime);
  }

  // Without this, a caller that stops sending requests because of the figures would see the last figures forever.
  #renew(): void {
    if (this.#runtime === null || this.#clock === null) return;
    const { clock, maxHeapBytes } = this.#options;
    this.#delay.forgetStale(this.#clock);
    if (maxHeapBytes !== Infinity && clock() - this.#heapSeen >= HEAP_EVERY_MS) this.#lookAtHeap(this.#runtime);
  }

  #lookAtHeap(runtime: RuntimeSupport): void {
    const bytes = runtime.heapBytes();
    if (bytes === undefined) return this.#ignoreHeap();
    this.#heapSeen = this.#options.clock();
    this.#normal.heap.settle(bytes);
    this.#low.heap.settle(bytes);
  }

  #ignoreHeap(): void {
    this.#heapSeen = Infinity;
    console.warn("shedLoad: this runtime does not report its heap size, so maxHeapBytes has no effect");
  }

  /**
   * Returns which limit is exceeded.
   *
   * @param priority The request's priority
   * @returns The cause, or `null` to admit the request
   */
  excess(priority: RequestPriority): Cause | null {
    if (priority === "critical") return null;
    const { turn, busy, heap, pending } = priority === "low" ? this.#low : this.#normal;
    if (turn.exceeded || busy.exceeded) return "eventLoopDelay";
    this.#requests.expire();
    if (this.#pending >= pending) this.#forgetSockets();
    if (this.#pending >= pending) return "pending";
    return heap.exceeded ? "heap" : null;
  }

  /** Counts an admitted request. */
  admit(req: FrameworkRequest, res: FrameworkResponse): void {
    this.#admitted++;
    if (this.#options.maxPending === Infinity) return;
    this.#pending++;
    let isCounted = true;
    const end = () => {
      if (!isCounted) return;
      isCounted = false;
      this.#pending--;
      this.#upgrading.delete(res);
    };
    if (req.get("upgrade") !== undefined) this.#upgrading.set(res, end);
    this.#requests.watch(res, end);
  }

  // A connection that has become a WebSocket may stay open for days. Before that, any client can send the header.
  #forgetSockets(): void {
    for (const [{ statusCode }, end] of this.#upgrading) if (statusCode === 101) end();
  }

  /** Counts a refused request. */
  refuse(cause: Cause): void {
    this.#refused[cause]++;
  }

  /** The current figures. */
  get figures(): LoadFigures {
    this.#renew();
    this.#requests.expire();
    this.#forgetSockets();
    return {
      admitted: this.#admitted,
      refused: { ...this.#refused },
      pending: this.#pending,
      eventLoopDelayMs: this.#delay.turnMs,
      overloaded: this.excess("normal") !== null,
    };
  }
}

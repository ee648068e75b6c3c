import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { RequestsInProgress } from "../../../limiting/requests_in_progress.ts";
import { type LoopClock, LoopDelay } from "./loop_delay.ts";
import type { CheckedShedLoad, RequestPriority } from "./options.ts";
import { Threshold } from "./threshold.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/**
 * For how many times the longest turn an event loop may have no rest. A loop that is used to 95 % is busy for long
 * stretches, too; with a queue of requests it is busy for good.
 */
const BUSY_TURNS = 5;

/** ms between two looks at the heap, which cost some microseconds each. */
const HEAP_EVERY_MS = 100;

/** What `shedLoad` has counted so far, and what it measures. */
export interface LoadFigures {
  /** Requests admitted. */
  readonly admitted: number;
  /** Requests refused, by what there was too much of. */
  readonly refused: { readonly eventLoopDelay: number; readonly pending: number; readonly heap: number };
  /**
   * Admitted requests whose responses are not complete, and those whose clients have left, but whose handlers have not
   * ended; 0 unless `maxPending` is set.
   */
  readonly pending: number;
  /** How long the last turn of the event loop took that was measured, in ms; 0 once no request has come for a while. */
  readonly eventLoopDelayMs: number;
  /** Whether requests of normal priority are being refused. */
  readonly overloaded: boolean;
}

/** What there was too much of. */
export type Cause = keyof LoadFigures["refused"];

/** The limits of one priority. */
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

/** How much there is to do: what is measured and counted, and whether it is too much. */
export class Load {
  readonly #options: CheckedShedLoad;
  readonly #normal: Limits;
  readonly #low: Limits;
  readonly #delay: LoopDelay;
  readonly #requests: RequestsInProgress;
  readonly #refused = { eventLoopDelay: 0, pending: 0, heap: 0 };
  #admitted = 0;
  #pending = 0;
  /** The runtime and its measures; known with the first request. */
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

  /** Measures, with the coming of a request. */
  note({ app: { [runtimeKey]: runtime } }: FrameworkRequest): void {
    const { clock, maxHeapBytes } = this.#options;
    this.#runtime ??= runtime;
    this.#clock ??= clockOf(runtime, clock);
    this.#delay.note(this.#clock);
    if (maxHeapBytes !== Infinity && clock() - this.#heapSeen >= HEAP_EVERY_MS) this.#lookAtHeap(runtime);
  }

  // Without it, whoever sends no requests because of the figures would see the last ones for ever.
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
    console.warn("shedLoad: this runtime does not tell the size of its heap, so maxHeapBytes has no effect");
  }

  /**
   * Tells what there is too much of.
   *
   * @param priority How much the request matters
   * @returns The cause, `null` if the request is to be admitted
   */
  excess(priority: RequestPriority): Cause | null {
    if (priority === "critical") return null;
    const { turn, busy, heap, pending } = priority === "low" ? this.#low : this.#normal;
    if (turn.exceeded || busy.exceeded) return "eventLoopDelay";
    this.#requests.expire();
    if (this.#pending >= pending) return "pending";
    return heap.exceeded ? "heap" : null;
  }

  /** Counts an admitted request. */
  admit(req: FrameworkRequest, res: FrameworkResponse): void {
    this.#admitted++;
    // a connection that becomes a WebSocket may stay open for days
    if (this.#options.maxPending === Infinity || req.get("upgrade") !== undefined) return;
    this.#pending++;
    this.#requests.watch(res, () => void this.#pending--);
  }

  /** Counts a refused request. */
  refuse(cause: Cause): void {
    this.#refused[cause]++;
  }

  /** The figures of this moment. */
  get figures(): LoadFigures {
    this.#renew();
    this.#requests.expire();
    return {
      admitted: this.#admitted,
      refused: { ...this.#refused },
      pending: this.#pending,
      eventLoopDelayMs: this.#delay.turnMs,
      overloaded: this.excess("normal") !== null,
    };
  }
}

function clockOf({ nextTurn, idleMs }: RuntimeSupport, now: () => number): LoopClock {
  return { now, nextTurn, idleMs };
}

import type { Request } from "@sluice/sluice";

/** The used part of `AsyncLocalStorage`. */
export interface RequestStorage {
  /** Runs a function, and all that follows from it, with a store. */
  run(store: Request, action: () => void): void;
  /** The store of this asynchronous context. */
  getStore(): Request | undefined;
}

const STORAGE: unique symbol = Symbol.for("sluice.requests");

/** All copies of this module share the storage: each entry that needs it has one, and npm may install several. */
const shared = globalThis as { [STORAGE]?: RequestStorage };

/**
 * Returns the storage, and makes it first if there is none.
 *
 * @param make Makes one
 */
export function requestStorage(make: () => RequestStorage): RequestStorage {
  return shared[STORAGE] ??= make();
}

/**
 * The request that this code runs for, as `context` knows it: behind `await`, in timers, in listeners, in the handlers
 * of its WebSocket.
 *
 * @returns The request; `undefined` outside of any, such as in a job that runs at night
 *
 * @example A function of the data layer, to which nobody passes the request
 * ```ts
 * import { currentRequest } from "@sluice/middleware/context";
 *
 * function tenant(): string {
 *   const req = currentRequest();
 *   if (req === undefined) throw new Error("tenant() needs a request");
 *   return req.hostname;
 * }
 * ```
 */
export function currentRequest(): Request | undefined {
  return shared[STORAGE]?.getStore();
}

/** What names a request in the lines of a log. */
export interface RequestFields {
  /** `req.id`, which `requestId` sets. */
  id?: string | number;
  /** `req.traceId`, which `requestId` sets. */
  traceId?: string;
}

/**
 * The fields that lines of a log have in common which were written for one request: its `id` and its `traceId`, as far as
 * it has them.
 *
 * @returns The fields; none outside of any request
 *
 * @example In every line of pino
 * ```ts ignore
 * const logger = pino({ mixin: requestFields });
 * ```
 */
export function requestFields(): RequestFields {
  const { id, traceId } = (currentRequest() ?? {}) as RequestFields;
  return { ...id !== undefined && { id }, ...traceId !== undefined && { traceId } };
}

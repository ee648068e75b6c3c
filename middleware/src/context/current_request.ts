import type { Request } from "@sluice/sluice";

/** The part of `AsyncLocalStorage` used here. */
export interface RequestStorage {
  /** Runs a function, and everything it starts, with a store. */
  run(store: Request, action: () => void): void;
  /** The current asynchronous context's store. */
  getStore(): Request | undefined;
}

const STORAGE: unique symbol = Symbol.for("sluice.requests");

/** All copies of this module share the storage: each entry point that needs it has one, and npm may install several. */
const shared = globalThis as { [STORAGE]?: RequestStorage };

/**
 * Returns the storage, creating it on first use.
 *
 * @param make Creates it
 */
export function requestStorage(make: () => RequestStorage): RequestStorage {
  return shared[STORAGE] ??= make();
}

/**
 * Returns the request that this code runs for, as tracked by `context`: after `await`, in timers, in listeners, and in
 * its WebSocket's handlers.
 *
 * @returns The request; `undefined` outside of any request, such as in a nightly job
 *
 * @example A function of the data layer that is not passed the request
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

/** The fields that identify a request in log lines. */
export interface RequestFields {
  /** `req.id`, which `requestId` sets. */
  id?: string | number;
  /** `req.traceId`, which `requestId` sets. */
  traceId?: string;
}

/**
 * Returns the fields shared by all log lines for a request: its `id` and `traceId`, if it has them.
 *
 * @returns The fields; no fields outside any request
 *
 * @example In every pino line
 * ```ts ignore
 * const logger = pino({ mixin: requestFields });
 * ```
 */
export function requestFields(): RequestFields {
  const { id, traceId } = (currentRequest() ?? {}) as RequestFields;
  return { ...id !== undefined && { id }, ...traceId !== undefined && { traceId } };
}

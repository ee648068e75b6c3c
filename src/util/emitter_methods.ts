/** An event's name. */
export type EventName = string | symbol;

/** A listener with any signature. */
// deno-lint-ignore no-explicit-any -- events carry whatever their emitter passes
export type Listener = (...args: any[]) => void;

/** The methods of Node's event emitter, for classes that get them from a mixin. */
export interface EmitterMethods {
  /** Adds a listener. */
  on(event: EventName, listener: Listener): this;
  /** Adds a listener; the same as `on`. */
  addListener(event: EventName, listener: Listener): this;
  /** Adds a listener that runs once. */
  once(event: EventName, listener: Listener): this;
  /** Adds a listener before the others. */
  prependListener(event: EventName, listener: Listener): this;
  /** Adds a listener that runs once, before the others. */
  prependOnceListener(event: EventName, listener: Listener): this;
  /** Removes a listener. */
  off(event: EventName, listener: Listener): this;
  /** Removes a listener; the same as `off`. */
  removeListener(event: EventName, listener: Listener): this;
  /** Removes all listeners, or one event's. */
  removeAllListeners(event?: EventName): this;
  /** Calls an event's listeners in order; returns whether there were any. */
  emit(event: EventName, ...args: unknown[]): boolean;
  /** Number of listeners for an event. */
  listenerCount(event: EventName): number;
  /** An event's listeners. */
  listeners(event: EventName): Listener[];
  /** An event's listeners; those that run once are wrapped. */
  rawListeners(event: EventName): Listener[];
  /** Stores the expected number of listeners per event. */
  setMaxListeners(count: number): this;
  /** Expected number of listeners per event. */
  getMaxListeners(): number;
  /** Names of the events that have listeners. */
  eventNames(): EventName[];
}

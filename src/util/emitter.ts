import type { EmitterMethods, EventName, Listener } from "./emitter_methods.ts";
import { isThenable } from "./is_thenable.ts";
import { originalKey, originalOf } from "./original_object.ts";

/**
 * A listener. Neither listeners nor lists are literals: V8 may learn that a literal's objects live long, as they do
 * when handlers wait, and allocate them in the old generation, where they retain everything they refer to.
 */
class Entry {
  readonly listener: Listener;
  /** How many more times it may run. */
  left: number;

  constructor(listener: Listener, left: number) {
    this.listener = listener;
    this.left = left;
  }
}

const NONE: readonly Entry[] = [];

/** Key of an emitter's listeners. */
const listeners: unique symbol = Symbol("listeners");

/** Key of the value set with `setMaxListeners`. */
const mostListeners: unique symbol = Symbol("most listeners");

/** Key that identifies emitters of this class, whatever their prototypes. */
const emitterKey: unique symbol = Symbol("emitter");

/** Key of the method called when a listener is added. */
export const listenedTo: unique symbol = Symbol("listened to");

/** Key of the method called with an error from a listener. */
export const listenerFailed: unique symbol = Symbol("listener failed");

/**
 * Node's event emitter, with the same names, order and rules. It costs nothing until a listener is added, not even a
 * constructor call: a class without fields and private methods has nothing to construct.
 *
 * @example An emitter
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ limit: 10 }); // it is one
 * limiter.on("denied", (event) => console.log(event));
 * ```
 */
export class Emitter implements EmitterMethods {
  /** Only marks emitters. A static block would make bundlers keep the class even if it is unused. */
  private get [emitterKey](): true {
    return true;
  }

  declare private [listeners]: Map<EventName, readonly Entry[]> | undefined;
  declare private [mostListeners]: number | undefined;
  /**
   * The emitter that stores the listeners: this one, or the emitter it was derived from.
   *
   * @internal
   */
  declare readonly [originalKey]?: object;

  /**
   * For emitters that prepare an event only for listeners: called after a listener is added.
   *
   * @param event The event
   * @param first Whether the listener was prepended
   */
  [listenedTo]?(event: EventName, first: boolean): void;

  /**
   * For emitters that handle their listeners' errors: called when a listener's promise is rejected, and by
   * {@linkcode tell} when a listener throws.
   *
   * @param error The error
   */
  [listenerFailed]?(error: unknown): void;

  /** Adds a listener. */
  on(event: EventName, listener: Listener): this {
    return Emitter.#add(this, event, new Entry(listener, Infinity), false);
  }

  /** Adds a listener; the same as {@linkcode Emitter.on}. */
  addListener(event: EventName, listener: Listener): this {
    return this.on(event, listener);
  }

  /** Adds a listener that runs once. */
  once(event: EventName, listener: Listener): this {
    return Emitter.#add(this, event, new Entry(listener, 1), false);
  }

  /** Adds a listener before the others. */
  prependListener(event: EventName, listener: Listener): this {
    return Emitter.#add(this, event, new Entry(listener, Infinity), true);
  }

  /** Adds a listener that runs once, before the others. */
  prependOnceListener(event: EventName, listener: Listener): this {
    return Emitter.#add(this, event, new Entry(listener, 1), true);
  }

  // static, because private methods would have to be installed on every instance
  static #add<T extends Emitter>(emitter: T, event: EventName, entry: Entry, first: boolean): T {
    if (typeof entry.listener !== "function") {
      throw new TypeError(`A listener for "${String(event)}" must be a function, not ${typeof entry.listener}`);
    }
    const all = originalOf(emitter)[listeners] ??= new Map();
    const present = all.get(event) ?? NONE;
    all.set(event, present.toSpliced(first ? 0 : present.length, 0, entry));
    emitter[listenedTo]?.(event, first);
    return emitter;
  }

  /** Removes a listener; if it was added twice, the later one. */
  off(event: EventName, listener: Listener): this {
    const entry = listenersIn(this)?.get(event)?.findLast((one) => {
      return one.listener === listener || innerOf(one.listener) === listener;
    });
    if (entry !== undefined) Emitter.#drop(this, event, entry);
    return this;
  }

  // does nothing if it was already removed
  static #drop(emitter: Emitter, event: EventName, entry: Entry): void {
    const all = listenersIn(emitter);
    const present = all?.get(event);
    if (present === undefined) return;
    const at = present.indexOf(entry);
    if (at === -1) return;
    if (present.length === 1) all!.delete(event);
    else all!.set(event, present.toSpliced(at, 1));
  }

  /** Removes a listener; the same as {@linkcode Emitter.off}. */
  removeListener(event: EventName, listener: Listener): this {
    return this.off(event, listener);
  }

  /** Removes all listeners, or one event's. */
  removeAllListeners(event?: EventName): this {
    if (event === undefined) originalOf<Emitter>(this)[listeners] = undefined;
    else listenersIn(this)?.delete(event);
    return this;
  }

  /**
   * Calls an event's listeners in order.
   *
   * @returns Whether there were any
   * @throws The error from an `error` event without a listener
   */
  emit(event: EventName, ...args: unknown[]): boolean {
    const present = listenersIn(this)?.get(event);
    if (present === undefined) {
      if (event === "error") throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error: ${args[0]}`);
      return false;
    }
    // lists are replaced, never changed, so listeners may be added and removed during the loop
    for (const entry of present) {
      // an earlier listener may have emitted the event again
      if (entry.left === 0) continue;
      if (entry.left === 1) {
        entry.left = 0;
        Emitter.#drop(this, event, entry);
      }
      const result: unknown = entry.listener.apply(this, args);
      if (result !== undefined && this[listenerFailed] !== undefined && isThenable(result)) {
        result.then(undefined, (error) => this[listenerFailed]!(error));
      }
    }
    return true;
  }

  /** Number of listeners for an event. */
  listenerCount(event: EventName): number {
    return listenersIn(this)?.get(event)?.length ?? 0;
  }

  /** An event's listeners. */
  listeners(event: EventName): Listener[] {
    return (listenersIn(this)?.get(event) ?? []).map((entry) => innerOf(entry.listener) ?? entry.listener);
  }

  /** An event's listeners; those that run once are wrapped in a function that removes them, as in Node. */
  rawListeners(event: EventName): Listener[] {
    return (listenersIn(this)?.get(event) ?? []).map(({ listener, left }) => {
      if (left === Infinity) return listener;
      const wrapped = (...args: unknown[]) => this.off(event, listener) && listener.apply(this, args);
      return Object.assign(wrapped, { listener });
    });
  }

  /** Stores the expected number of listeners per event; exceeding it causes no warning. */
  setMaxListeners(count: number): this {
    originalOf<Emitter>(this)[mostListeners] = count;
    return this;
  }

  /** Expected number of listeners per event, 10 by default as in Node. */
  getMaxListeners(): number {
    return originalOf<Emitter>(this)[mostListeners] ?? 10;
  }

  /** Names of the events that have listeners. */
  eventNames(): EventName[] {
    return [...listenersIn(this)?.keys() ?? []];
  }
}

function listenersIn(emitter: Emitter): Map<EventName, readonly Entry[]> | undefined {
  return originalOf(emitter)[listeners];
}

/** The parts of an emitter that {@linkcode tell} uses. */
export interface Telling {
  /** Calls an event's listeners. */
  emit(event: EventName, ...args: unknown[]): boolean;
  /** Receives an error from a listener. */
  [listenerFailed]?(error: unknown): void;
}

/**
 * Emits an event outside any call from the program, where no handler would catch a listener's error.
 *
 * @param emitter The emitter; it receives a listener's error
 * @param event The event
 * @param args Arguments for the listeners
 * @returns Whether there were any listeners
 */
export function tell(emitter: Telling, event: EventName, ...args: unknown[]): boolean {
  try {
    return emitter.emit(event, ...args);
  } catch (error) {
    if (emitter[listenerFailed] === undefined) throw error;
    emitter[listenerFailed](error);
    return true;
  }
}

/**
 * Whether a value is an emitter of this class, not Node's.
 *
 * @param object Anything with listeners
 */
export function isEmitter(object: unknown): boolean {
  return typeof object === "object" && object !== null && emitterKey in object;
}

/**
 * Adds an emitter's methods to a class with a different base class.
 *
 * @param prototype The class's prototype
 */
export function mixEmitter(prototype: EmitterMethods): void {
  for (const key of Reflect.ownKeys(Emitter.prototype)) {
    if (key === "constructor") continue;
    Object.defineProperty(prototype, key, Object.getOwnPropertyDescriptor(Emitter.prototype, key)!);
  }
}

/**
 * Wraps a listener so that it runs once wherever it is added: middleware may have replaced `on` to redirect listeners
 * to its own stream. The original listener can be used to remove it, as in Node.
 *
 * @param emitter The emitter
 * @param event Name of the event
 * @param listener Runs once
 */
export function runningOnce(emitter: Emitter, event: EventName, listener: Listener): Listener {
  let ran = false;
  const once = (...args: unknown[]) => {
    if (ran) return;
    ran = true;
    emitter.off(event, once);
    listener.apply(emitter, args);
  };
  return Object.assign(once, { listener });
}

function innerOf(listener: Listener): Listener | undefined {
  return (listener as { listener?: Listener }).listener;
}

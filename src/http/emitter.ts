import type { EmitterMethods, EventName, Listener } from "./emitter_methods.ts";

/**
 * A listener. It is no literal, nor are the lists of them: V8 may decide of a literal that what it makes lives long, as it
 * does where handlers wait, and then all that a listener reaches would, its request first of all.
 */
class Entry {
  readonly listener: Listener;
  /** How often it may still run. */
  left: number;

  constructor(listener: Listener, left: number) {
    this.listener = listener;
    this.left = left;
  }
}

const NONE: readonly Entry[] = [];

/** Where an emitter keeps its listeners. */
const listeners: unique symbol = Symbol("listeners");

/** Where an emitter keeps how many listeners it was told to expect. */
const mostListeners: unique symbol = Symbol("most listeners");

/** Key of the method by which an emitter learns to what somebody listens. */
export const listenedTo: unique symbol = Symbol("listened to");

/**
 * Node's event emitter: its names, its order, its rules. Costs nothing until somebody listens, not even a call: a class
 * without fields and private methods has nothing to construct.
 */
export class Emitter implements EmitterMethods {
  declare private [listeners]: Map<EventName, readonly Entry[]> | undefined;
  declare private [mostListeners]: number | undefined;

  /**
   * For emitters that do not begin with an event before somebody listens: called after a listener was added.
   *
   * @param event What it listens to
   * @param first Whether it was added in front of the others
   */
  [listenedTo]?(event: EventName, first: boolean): void;

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

  /** Adds a listener in front of the others. */
  prependListener(event: EventName, listener: Listener): this {
    return Emitter.#add(this, event, new Entry(listener, Infinity), true);
  }

  /** Adds a listener that runs once, in front of the others. */
  prependOnceListener(event: EventName, listener: Listener): this {
    return Emitter.#add(this, event, new Entry(listener, 1), true);
  }

  // static, for a private method of the instance would have to be set up for each
  static #add<T extends Emitter>(emitter: T, event: EventName, entry: Entry, first: boolean): T {
    if (typeof entry.listener !== "function") {
      throw new TypeError(`A listener for "${String(event)}" must be a function, not ${typeof entry.listener}`);
    }
    const all = emitter[listeners] ??= new Map();
    const present = all.get(event) ?? NONE;
    all.set(event, present.toSpliced(first ? 0 : present.length, 0, entry));
    emitter[listenedTo]?.(event, first);
    return emitter;
  }

  /** Takes a listener away, the one added last if it was added twice. */
  off(event: EventName, listener: Listener): this {
    return Emitter.#take(this, event, (entry) => entry.listener === listener || innerOf(entry.listener) === listener);
  }

  static #take<T extends Emitter>(emitter: T, event: EventName, isMeant: (entry: Entry) => boolean): T {
    const present = emitter[listeners]?.get(event) ?? [];
    const at = present.findLastIndex(isMeant);
    if (at === -1) return emitter;
    if (present.length === 1) emitter[listeners]!.delete(event);
    else emitter[listeners]!.set(event, present.toSpliced(at, 1));
    return emitter;
  }

  /** Takes a listener away; the same as {@linkcode Emitter.off}. */
  removeListener(event: EventName, listener: Listener): this {
    return this.off(event, listener);
  }

  /** Takes all listeners away, or all of one event. */
  removeAllListeners(event?: EventName): this {
    if (event === undefined) this[listeners] = undefined;
    else this[listeners]?.delete(event);
    return this;
  }

  /**
   * Calls the listeners of an event in order.
   *
   * @returns Whether there were any
   * @throws The error of an `error` event nobody listens to
   */
  emit(event: EventName, ...args: unknown[]): boolean {
    const present = this[listeners]?.get(event);
    if (present === undefined) {
      if (event === "error") throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error: ${args[0]}`);
      return false;
    }
    // the list is replaced, never changed, so listeners may add and remove while it runs
    for (const entry of present) {
      // a listener in front may have emitted the event once more
      if (entry.left === 0) continue;
      if (entry.left === 1) {
        entry.left = 0;
        Emitter.#take(this, event, (one) => one === entry);
      }
      entry.listener.apply(this, args);
    }
    return true;
  }

  /** Number of listeners of an event. */
  listenerCount(event: EventName): number {
    return this[listeners]?.get(event)?.length ?? 0;
  }

  /** The listeners of an event. */
  listeners(event: EventName): Listener[] {
    return (this[listeners]?.get(event) ?? []).map((entry) => innerOf(entry.listener) ?? entry.listener);
  }

  /** The listeners of an event; those that run once are wrapped in what takes them away first, as in Node. */
  rawListeners(event: EventName): Listener[] {
    return (this[listeners]?.get(event) ?? []).map(({ listener, left }) => {
      if (left === Infinity) return listener;
      const wrapped = (...args: unknown[]) => this.off(event, listener) && listener.apply(this, args);
      return Object.assign(wrapped, { listener });
    });
  }

  /** Notes how many listeners of one event are expected; nothing warns of more. */
  setMaxListeners(count: number): this {
    this[mostListeners] = count;
    return this;
  }

  /** How many listeners of one event are expected, 10 as in Node where nobody said so. */
  getMaxListeners(): number {
    return this[mostListeners] ?? 10;
  }

  /** Names of the events somebody listens to. */
  eventNames(): EventName[] {
    return [...this[listeners]?.keys() ?? []];
  }
}

/**
 * Gives the methods of an emitter to a class that has another base.
 *
 * @param prototype Prototype of the class
 */
export function mixEmitter(prototype: EmitterMethods): void {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(Emitter.prototype);
  Object.defineProperties(prototype, methods);
}

/**
 * Wraps a listener so that it runs once wherever it is added, for a middleware may have replaced `on` and lead
 * listeners to a stream of its own. It is taken away by the listener itself, as with Node's.
 *
 * @param emitter What it listens to
 * @param event Name of the event
 * @param listener What runs once
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

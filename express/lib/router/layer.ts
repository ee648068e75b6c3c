import { Router } from "@sluice/express";
import { Layer as OwnLayer } from "@sluice/sluice";
import { dialectKey } from "@sluice/sluice/profile";
import type { AnyFunction } from "@sluice/sluice/types";

/** How the path of a layer matches, as in Express. */
export interface LayerOptions {
  /** Whether case counts. */
  readonly sensitive?: boolean;
  /** Whether a trailing slash makes a difference. */
  readonly strict?: boolean;
  /** Whether the whole path must match, as it must by default. */
  readonly end?: boolean;
}

/** Makes layers, with or without `new`. */
export interface LayerConstructor {
  /** Makes a layer. */
  new (path: string | RegExp, options: LayerOptions | null, fn: AnyFunction): OwnLayer;
  /** Makes a layer. */
  (path: string | RegExp, options: LayerOptions | null, fn: AnyFunction): OwnLayer;
  /** Prototype of the layers made here. */
  readonly prototype: OwnLayer;
}

/**
 * A layer with Express's arguments, for programs that match paths by themselves.
 *
 * Its prototype inherits from that of all layers. Programs that wait for promises replace its `handle` by an accessor of
 * their own, which must not reach layers that are there already; Sluice waits for promises itself. A function that is
 * assigned to `handle_request` is called for all.
 */
const Layer = function (this: unknown, path: string | RegExp, options: LayerOptions | null, fn: AnyFunction): OwnLayer {
  const { sensitive = false, strict = false, end = true } = options ?? {};
  const dialect = Router.prototype[dialectKey];
  const made = Reflect.construct(
    OwnLayer,
    ["Layer", path, { sensitive, strict, end, dialect }, { fn }],
    new.target ?? Layer,
  );
  // as in Express: an accessor on the prototype gets to know it
  made.handle = fn;
  return made;
} as unknown as LayerConstructor;

Object.defineProperty(Layer, "prototype", {
  value: Object.create(OwnLayer.prototype, {
    constructor: { value: Layer, configurable: true, writable: true },
  }),
});
Object.defineProperty(Layer, Symbol.hasInstance, { value: (value: unknown) => value instanceof OwnLayer });

export { Layer as "module.exports", Layer as default };

import { Router } from "@sluice/express";
import { Layer as OwnLayer } from "@sluice/sluice";
import { dialectKey } from "@sluice/sluice/profile";
import type { AnyFunction } from "@sluice/sluice/types";

/** How a layer's path matches, as in Express. */
export interface LayerOptions {
  /** Whether matching is case-sensitive. */
  readonly sensitive?: boolean;
  /** Whether a trailing slash matters. */
  readonly strict?: boolean;
  /** Whether the whole path must match; true by default. */
  readonly end?: boolean;
}

/** Creates layers, with or without `new`. */
export interface LayerConstructor {
  /** Creates a layer. */
  new (path: string | RegExp, options: LayerOptions | null, fn: AnyFunction): OwnLayer;
  /** Creates a layer. */
  (path: string | RegExp, options: LayerOptions | null, fn: AnyFunction): OwnLayer;
  /** Prototype for layers created here. */
  readonly prototype: OwnLayer;
}

/**
 * A layer with Express's arguments, for programs that match paths themselves.
 *
 * Its prototype inherits from the one all layers share. Programs that await promises replace its `handle` with their
 * own accessor, which must not affect existing layers; Sluice awaits promises itself. A function assigned to
 * `handle_request` is called for all layers.
 */
const Layer = function (this: unknown, path: string | RegExp, options: LayerOptions | null, fn: AnyFunction): OwnLayer {
  const { sensitive = false, strict = false, end = true } = options ?? {};
  const dialect = Router.prototype[dialectKey];
  const made = Reflect.construct(
    OwnLayer,
    ["Layer", path, { sensitive, strict, end, dialect }, { fn }],
    new.target ?? Layer,
  );
  // as in Express, so that an accessor on the prototype sees it
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

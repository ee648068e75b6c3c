/**
 * Stands for a path string's empty parameters until they are read: few handlers for paths without parameters read them,
 * and the others need no object.
 */
export const EMPTY_BARE: unique symbol = Symbol("empty");

/** Stands for empty parameters from a RegExp, from `app.use` at `/`, or in a router that merges. */
export const EMPTY_PLAIN: unique symbol = Symbol("empty");

/** Stands for empty parameters; see {@linkcode EMPTY_BARE} and {@linkcode EMPTY_PLAIN}. */
export type EmptyParams = typeof EMPTY_BARE | typeof EMPTY_PLAIN;

/** Whether a value is a placeholder for empty parameters. */
export function isEmptyParams(params: unknown): params is EmptyParams {
  return params === EMPTY_BARE || params === EMPTY_PLAIN;
}

/** The object for a placeholder: as in Express, a path string's inherits nothing. */
export function emptyParams(params: EmptyParams): object {
  return params === EMPTY_BARE ? Object.create(null) : {};
}

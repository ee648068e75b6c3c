/**
 * Key under which an object stores itself. Objects derived from it (`Object.create(req)`) and proxies find it there,
 * and with it the place for state created later.
 */
export const originalKey: unique symbol = Symbol("original");

/** An object that may be derived from another, or be a proxy. */
export interface Derivable {
  /** The object itself, or the one it was derived from; `undefined` if it was derived from a prototype alone. */
  readonly [originalKey]?: object | undefined;
}

/**
 * The object that holds the state: the one that the framework created.
 *
 * @param object That object, one derived from it, or a proxy; for others, returns the object itself
 */
export function originalOf<T extends Derivable>(object: T): T {
  return (object[originalKey] ?? object) as T;
}

/**
 * Whether values assigned to an object belong to the original: it is the original or a proxy for it. Any other object
 * is derived from it or from a prototype alone, and stores assigned values itself.
 *
 * @param object The object
 */
export function isOriginal(object: object): boolean {
  if (!Object.hasOwn(object, originalKey)) return false;
  const original = (object as { [originalKey]: Marked })[originalKey];
  return original === object || isProxyOf(original, object);
}

/** Key of the last mark. */
const markKey: unique symbol = Symbol("mark");

interface Marked {
  [markKey]?: object;
}

// a copy has the same properties, except those added to the original later
function isProxyOf(original: Marked, object: Marked): boolean {
  const mark = {};
  original[markKey] = mark;
  return object[markKey] === mark;
}

/**
 * Key under which an object keeps itself. What was derived from it (`Object.create(req)`) and proxies of it find it
 * there, and so the place where state is stored that is made later.
 */
export const originalKey: unique symbol = Symbol("original");

/** An object that may be derived from another one, or stand for it. */
export interface Derivable {
  /** Itself, or what it was derived from; `undefined` if it was derived from a prototype only. */
  readonly [originalKey]?: object | undefined;
}

/**
 * The object that keeps the state: the one that the framework made.
 *
 * @param object That object, one derived from it, or a proxy; of others, the object itself
 */
export function originalOf<T extends Derivable>(object: T): T {
  return (object[originalKey] ?? object) as T;
}

/**
 * Whether what is assigned to an object belongs to the original: it is that, or a proxy of it. Anything else is derived
 * from it, or from a prototype only, and what is assigned becomes its own.
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

// a copy has the same properties, but not those that the original got later
function isProxyOf(original: Marked, object: Marked): boolean {
  const mark = {};
  original[markKey] = mark;
  return object[markKey] === mark;
}

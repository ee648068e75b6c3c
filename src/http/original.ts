/**
 * Key under which an object keeps itself. What was derived from it (`Object.create(req)`) and proxies of it find it
 * there, and so the place where state is stored that is made later.
 */
export const originalKey: unique symbol = Symbol("original");

/** An object that may be derived from another one, or stand for it. */
export interface Derivable {
  /** Itself, or what it was derived from; `undefined` if the framework did not make that. */
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

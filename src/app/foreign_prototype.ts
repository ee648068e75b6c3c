/**
 * The prototype of a request or a response that somebody else made, such as a mock in a test, while an application of
 * ours runs: Express gives it the application's, on top of Node's classes. Here, what Node's classes would be to it, such
 * as its emitter and its stream, stays its own, because those methods keep state in it.
 *
 * @param object The request or response
 * @param own The prototype of the application's requests or responses
 * @param ours The properties in Express's own name, which it gets from the application
 */
export function foreignPrototype(object: object, own: object, ours: object): object {
  if (object instanceof (ours.constructor as new () => object)) return own;
  const layer = Object.create(own);
  for (const level of levelsOf(Object.getPrototypeOf(object))) {
    for (const key of Reflect.ownKeys(level)) {
      if (key === "constructor" || Object.hasOwn(ours, key)) continue;
      Object.defineProperty(layer, key, Object.getOwnPropertyDescriptor(level, key)!);
    }
  }
  return layer;
}

// the farthest first, which the others override
function levelsOf(prototype: object | null): object[] {
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return [];
  return [...levelsOf(Object.getPrototypeOf(prototype)), prototype];
}

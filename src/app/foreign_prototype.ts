import { ownAppKey } from "../exchange/derived_object.ts";

/**
 * The prototype of a request or a response that somebody else made, such as a mock in a test, while an application of
 * ours runs: Express gives it the application's, on top of Node's classes. Here, what Node's classes would be to it, such
 * as its emitter and its stream, stays its own, because those methods keep state in it.
 *
 * @param object The request or response
 * @param own The prototype of the application's requests or responses
 * @param ours The prototype of all of them, with the properties that it gets from the application
 */
export function foreignPrototype(object: object, own: object, ours: object): object {
  const levels = levelsOf(Object.getPrototypeOf(object), ours);
  if (levels.length === 0) return own;
  const layer = Object.create(own);
  for (const level of levels) {
    for (const key of Reflect.ownKeys(level)) {
      if (key === "constructor" || (Object.hasOwn(ours, key) && key !== "headersSent")) continue;
      // another level may have the same, and some of Node's on Deno are final
      Object.defineProperty(layer, key, { ...Object.getOwnPropertyDescriptor(level, key), configurable: true });
    }
  }
  return layer;
}

// the farthest first, which the others override; up to what is ours
function levelsOf(prototype: object | null, ours: object): object[] {
  if (prototype === null || prototype === ours || Object.hasOwn(prototype, ownAppKey)) return [];
  const parent = Object.getPrototypeOf(prototype);
  return parent === null ? [] : [...levelsOf(parent, ours), prototype];
}

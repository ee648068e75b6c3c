import { ownAppKey } from "../exchange/derived_object.ts";

/**
 * Returns the prototype for a foreign request or response, such as a test's mock, while one of our applications runs.
 * Express puts the application's prototype on top of Node's classes. Here the object keeps its own versions of
 * those classes, such as its emitter and stream, because their methods keep state in it.
 *
 * @param object The request or response
 * @param own The application's prototype for requests or responses
 * @param ours The shared base prototype, with the properties the object gets from the application
 */
export function foreignPrototype(object: object, own: object, ours: object): object {
  const levels = levelsOf(Object.getPrototypeOf(object), ours);
  if (levels.length === 0) return own;
  const layer = Object.create(own);
  for (const level of levels) {
    for (const key of Reflect.ownKeys(level)) {
      if (key === "constructor" || (Object.hasOwn(ours, key) && key !== "headersSent")) continue;
      // a different level may define the same property, and some of Node's are non-configurable on Deno
      Object.defineProperty(layer, key, { ...Object.getOwnPropertyDescriptor(level, key), configurable: true });
    }
  }
  return layer;
}

// farthest first, so nearer ones override it; stops at our own prototypes
function levelsOf(prototype: object | null, ours: object): object[] {
  if (prototype === null || prototype === ours || Object.hasOwn(prototype, ownAppKey)) return [];
  const parent = Object.getPrototypeOf(prototype);
  return parent === null ? [] : [...levelsOf(parent, ours), prototype];
}

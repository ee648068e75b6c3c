import { isOriginal } from "./original_object.ts";

/**
 * Adds setters to a class's getters, so programs can store their own values under those names. An assigned value
 * becomes an own property and hides the getter.
 *
 * @param prototype The class's prototype
 * @param names Names of the getters
 */
export function makeAssignable(prototype: object, names: readonly string[]): void {
  // reused for all properties, because some are defined at every start of a process
  const property: PropertyDescriptor = {};
  for (const name of names) {
    property.get = Object.getOwnPropertyDescriptor(prototype, name)!.get!;
    property.set = function (value) {
      assignOwn(this, name, value);
    };
    Object.defineProperty(prototype, name, property);
  }
}

/**
 * Defines a property on the object itself, where it hides an inherited accessor.
 *
 * @param owner The object
 * @param name Name of the property
 * @param value Its value
 */
export function assignOwn(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, enumerable: true, writable: true });
}

/**
 * Assigns a property of a derived object, which stores it itself. What is assigned to the original or to a proxy of it
 * belongs to the original's state, where the caller stores it.
 *
 * @param object The object
 * @param name Name of the property
 * @param value Its value
 * @returns Whether the object is derived
 */
export function assignIfDerived(object: object, name: string, value: unknown): boolean {
  const isDerived = !isOriginal(object);
  if (isDerived) assignOwn(object, name, value);
  return isDerived;
}

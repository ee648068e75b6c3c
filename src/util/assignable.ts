/**
 * Gives getters of a class a setter, so that programs can put values of their own under those names. A value that is
 * assigned becomes an own property and hides the getter.
 *
 * @param prototype The class's prototype
 * @param names Names of its getters
 */
export function makeAssignable(prototype: object, names: readonly string[]): void {
  // one for all of them, since every start makes some
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
 * Defines a property on the object itself, where it hides an accessor that the object inherits.
 *
 * @param owner The object
 * @param name Name of the property
 * @param value Its value
 */
export function assignOwn(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, enumerable: true, writable: true });
}

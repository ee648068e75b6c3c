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

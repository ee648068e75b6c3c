/**
 * An object that inherits nothing, for records with names from outside, where `toString` is a name like any other.
 * Unlike `Object.create(null)`, which V8 makes a hash table, its properties are as fast as those of a class.
 */
class BareObject {
  static {
    Reflect.deleteProperty(this.prototype, "constructor");
    Object.setPrototypeOf(this.prototype, null);
  }
}

/** A new record that inherits nothing. */
export function bareObject<T>(): Record<string, T> {
  return new BareObject() as Record<string, T>;
}

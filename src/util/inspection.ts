/** A look at a program's applications: it runs, and is told that they listen, but none of them does. */
export interface Inspection {
  /** Called with each application that is made. */
  made(app: object): void;
  /** Called with each application that would be served: it listens, or is handed to a server. */
  serves(app: object): void;
}

/** Where every copy of the framework in a process finds it: programs may load another one than who inspects them. */
const KEY = Symbol.for("sluice.inspection");

/** The inspection that is going on, `undefined` for none. */
export function currentInspection(): Inspection | undefined {
  return (globalThis as { [KEY]?: Inspection })[KEY];
}

/**
 * Begins to inspect whatever is made from now on.
 *
 * @param inspection Hears of it
 */
export function beginInspection(inspection: Inspection): void {
  (globalThis as { [KEY]?: Inspection })[KEY] = inspection;
}

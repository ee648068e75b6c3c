/**
 * An inspection of a program's applications: the program runs, and its calls to `listen` report success without opening
 * a port.
 */
export interface Inspection {
  /** Called with each application created. */
  made(app: object): void;
  /** Called with each application that would be served: it listens, or is passed to a server. */
  serves(app: object): void;
}

/** Shared by all copies of the framework in a process: a program may load a different copy than its inspector. */
const KEY = Symbol.for("sluice.inspection");

/** The current inspection, or `undefined` if there is none. */
export function currentInspection(): Inspection | undefined {
  return (globalThis as { [KEY]?: Inspection })[KEY];
}

/**
 * Starts inspecting everything created from now on.
 *
 * @param inspection Receives the applications
 */
export function beginInspection(inspection: Inspection): void {
  (globalThis as { [KEY]?: Inspection })[KEY] = inspection;
}

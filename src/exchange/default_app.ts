import type { AppLike } from "./app_like.ts";

let make: (() => AppLike) | null = null;
let made: AppLike | null = null;

/**
 * Registers the factory for an application with default settings, which this directory cannot import.
 *
 * @param makeApp Creates one
 */
export function provideDefaultApp(makeApp: () => AppLike): void {
  make = makeApp;
}

/** Returns an application with default settings, for middleware in unit tests or views created by the program. */
export function defaultApp(): AppLike {
  return made ??= make!();
}

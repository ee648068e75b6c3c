import type { AppLike } from "./app_like.ts";

let make: (() => AppLike) | null = null;
let made: AppLike | null = null;

/**
 * Says how an application with the usual settings is made, which this folder cannot know.
 *
 * @param makeApp Makes one
 */
export function provideDefaultApp(makeApp: () => AppLike): void {
  make = makeApp;
}

/** An application with the usual settings, for what is used without one: middleware in unit tests, views that a program makes. */
export function defaultApp(): AppLike {
  return made ??= make!();
}

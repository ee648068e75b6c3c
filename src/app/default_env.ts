import type { Platform } from "../platform/shared/platform.ts";

/** Applications in production only because `NODE_ENV` may not be read, and how to change that. */
const assumed = new WeakMap<object, string>();

let told = false;

/**
 * The `env` setting of a new application. If it cannot be known, it is `"production"`: error pages of `"development"`
 * show stacks to everybody.
 *
 * @param app The application
 * @param platform The runtime
 */
export function defaultEnv(app: object, platform: Platform): string {
  const given = platform.env("NODE_ENV");
  if (given) return given;
  const remedy = platform.unread?.("NODE_ENV");
  if (remedy === undefined) return platform.defaultEnv();
  assumed.set(app, remedy);
  return "production";
}

/**
 * Notes that the program has set an application's `env`.
 *
 * @param app The application
 */
export function envIsKnown(app: object): void {
  assumed.delete(app);
}

/**
 * Says, once per process, that an application which is about to be served runs in production for want of a permission.
 *
 * @param app The application
 */
export function tellOfEnv(app: object): void {
  const remedy = assumed.get(app);
  if (remedy === undefined || told) return;
  told = true;
  console.warn(
    "NODE_ENV may not be read, so this runs as in production: clients get no details of errors, and views are cached. " +
      `Start it with ${remedy}, or call app.set("env", "development") or app.set("env", "production")`,
  );
}

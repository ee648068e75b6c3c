import type { Platform } from "../platform/shared/platform.ts";

/** Applications in production mode only because the program has no permission to read `NODE_ENV`, each with the fix. */
const assumed = new WeakMap<object, string>();

let told = false;

/**
 * Returns a new application's `env` setting: `"production"` when `NODE_ENV` cannot be read, because `"development"`
 * error pages show stack traces to every client.
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
 * Records that the program has set an application's `env`.
 *
 * @param app The application
 */
export function envIsKnown(app: object): void {
  assumed.delete(app);
}

/**
 * Warns once per process that an application runs in production mode because a permission is missing.
 *
 * @param app The application
 */
export function tellOfEnv(app: object): void {
  const remedy = assumed.get(app);
  if (remedy === undefined || told) return;
  told = true;
  console.warn(
    "NODE_ENV cannot be read, so this runs in production mode: clients see no error details, views are cached. " +
      `Start it with ${remedy}, or call app.set("env", "development") or app.set("env", "production")`,
  );
}

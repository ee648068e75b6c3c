/** An application, whose settings show how the program runs. */
interface Configured {
  /** Reads a setting. */
  get(name: string): unknown;
}

/** Advice given in this process. */
const given = new Set<string>();
/** Advice about objects created before their application is known. */
const noted = new Set<string>();

/** Whether any advice is recorded. */
export let isWarningNoted = false;

/**
 * Whether an application is in development, so its developer should see likely mistakes.
 *
 * @param app The application
 */
export function isDeveloped(app: Configured | undefined): boolean {
  return app?.get("env") === "development";
}

/**
 * Warns the developer about a likely mistake, once per process. Silent in production and while `env` is `"test"`.
 *
 * @param app The application that is handling the request
 * @param text What is wrong, and what to do instead
 */
export function warnInDevelopment(app: Configured | undefined, text: string): void {
  if (isDeveloped(app)) give(text);
}

/**
 * Records a likely mistake before the application is known: body parsers, routers and paths are created earlier. The
 * warning is logged when an application in development is about to serve, or gets its next request.
 *
 * @param text What is wrong, and what to do instead
 */
export function noteWarning(text: string): void {
  if (given.has(text)) return;
  noted.add(text);
  isWarningNoted = true;
}

/**
 * Logs the recorded warnings, or drops them if the application is not in development.
 *
 * @param app The application that serves
 */
export function tellWarnings(app: Configured): void {
  if (isDeveloped(app)) noted.forEach(give);
  noted.clear();
  isWarningNoted = false;
}

function give(text: string): void {
  if (given.has(text)) return;
  given.add(text);
  console.warn(text);
}

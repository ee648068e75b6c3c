/** What tells how a program is run: an application. */
interface Configured {
  /** Reads a setting. */
  get(name: string): unknown;
}

/** Advice that was given in this process. */
const given = new Set<string>();
/** Advice about what a program has made before anybody could know for which application. */
const noted = new Set<string>();

/** Whether something is noted. */
export let isWarningNoted = false;

/**
 * Whether an application is in development, so that its developer should hear of what is probably a mistake.
 *
 * @param app The application
 */
export function isDeveloped(app: Configured | undefined): boolean {
  return app?.get("env") === "development";
}

/**
 * Tells the developer of what is probably a mistake, once in a process. In production, and while `env` is `"test"`,
 * nobody is told.
 *
 * @param app The application that is handling the request
 * @param text What is wrong, and what to do instead
 */
export function warnInDevelopment(app: Configured | undefined, text: string): void {
  if (isDeveloped(app)) give(text);
}

/**
 * Notes what is probably a mistake where no application is known yet: body parsers, routers and paths are made before.
 * It is told when an application in development is about to serve, or gets the next request.
 *
 * @param text What is wrong, and what to do instead
 */
export function noteWarning(text: string): void {
  if (given.has(text)) return;
  noted.add(text);
  isWarningNoted = true;
}

/**
 * Tells what was noted, or forgets it if the application is not in development.
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

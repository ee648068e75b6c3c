import { beginInspection } from "../util/inspection.ts";

/** The part of a program's application used here. */
export interface LoadedApp {
  /** The application it is mounted on. */
  readonly parent: unknown;
  /** Lists its routes. */
  getRegisteredRoutes(prefix: string, options: { details: true }): readonly object[];
  /** Prints them. */
  printRoutes(prefix: string, options: { details: true }): void;
  /** Responds to a request. */
  fetch(request: Request, info: object): Response | Promise<Response>;
}

/** ms a program may take to listen, because it may first connect to its database. */
const PATIENCE_MS = 5000;

/** ms a program may continue loading once its application listens, because it may wait for its server to end. */
const REST_MS = 1000;

/**
 * Runs a program and collects its applications, except mounted ones. None of them listens.
 *
 * @param url The program's main module
 * @returns The applications that would listen or are exported, or else all applications, in creation order
 * @throws The program's errors while it loads
 */
export async function appsOfProgram(url: string): Promise<LoadedApp[]> {
  const made = new Set<LoadedApp>();
  const chosen = new Set<LoadedApp>();
  let wake = (): void => {};
  const served = new Promise<void>((resolve) => wake = resolve);
  beginInspection({
    made: (app) => void made.add(app as LoadedApp),
    serves(app) {
      chosen.add(app as LoadedApp);
      wake();
    },
  });
  const loaded = load(url).then((exported) => {
    for (const one of exported) if (made.has(one as LoadedApp)) chosen.add(one as LoadedApp);
  });
  await Promise.race([loaded, served.then(() => new Promise((resolve) => setTimeout(resolve, REST_MS)))]);
  if (chosen.size === 0) await within(PATIENCE_MS, served);
  const found = chosen.size > 0 ? chosen : made;
  return [...found].filter(({ parent }) => parent === undefined);
}

async function load(url: string): Promise<unknown[]> {
  return Object.values(await import(/* webpackIgnore: true */ /* @vite-ignore */ url));
}

function within(ms: number, event: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    event.then(() => {
      clearTimeout(timer);
      // the program may register more routes right after listening
      setTimeout(resolve, 0);
    });
  });
}

import { beginInspection } from "../util/inspection.ts";

/** The used part of an application that a program has made. */
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

/** How long a program may take until it listens, in ms: it may connect to its database first. */
const PATIENCE_MS = 5000;

/** How long, in ms, a program whose application listens may go on loading: it may wait for the end of its server. */
const REST_MS = 1000;

/**
 * Runs a program and collects its applications, those that are not mounted on another one. None of them listens.
 *
 * @param url The program's main module
 * @returns The applications that would listen or are exported, and without any all there are, in the order of making
 * @throws What the program throws when it is loaded
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
      // what the program does right after listening may register more
      setTimeout(resolve, 0);
    });
  });
}

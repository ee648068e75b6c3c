import { beginInspection } from "../util/inspection.ts";

/** The used part of an application. */
export interface ListedApp {
  /** The application it is mounted on. */
  readonly parent: unknown;
  /** Lists its routes. */
  getRegisteredRoutes(prefix: string, options: { details: true }): readonly object[];
  /** Prints them. */
  printRoutes(prefix: string, options: { details: true }): void;
}

/** How long a program may take until it listens, in ms: it may connect to its database first. */
const PATIENCE_MS = 5000;

/**
 * Runs a program and collects its applications, those that are not mounted on another one. None of them listens.
 *
 * @param url The program's main module
 * @returns The applications that would listen or are exported, and without any all there are, in the order of making
 * @throws What the program throws when it is loaded
 */
export async function appsOfProgram(url: string): Promise<ListedApp[]> {
  const made = new Set<ListedApp>();
  const chosen = new Set<ListedApp>();
  let wake = (): void => {};
  const served = new Promise<void>((resolve) => wake = resolve);
  beginInspection({
    made: (app) => void made.add(app as ListedApp),
    serves(app) {
      chosen.add(app as ListedApp);
      wake();
    },
  });
  const program: Record<string, unknown> = await import(/* webpackIgnore: true */ /* @vite-ignore */ url);
  for (const exported of Object.values(program)) if (made.has(exported as ListedApp)) chosen.add(exported as ListedApp);
  if (chosen.size === 0) await within(PATIENCE_MS, served);
  const found = chosen.size > 0 ? chosen : made;
  return [...found].filter(({ parent }) => parent === undefined);
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

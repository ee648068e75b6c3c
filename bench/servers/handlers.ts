/** Every contestant that is a `fetch` handler; only its own code is loaded. */
import type { Application } from "../service/scenarios.ts";
import type { ServeStatic } from "./hono.ts";

/** Handles a request. */
export type FetchHandler = (request: Request, info?: unknown) => Response | Promise<Response>;

/** The application and files that a contestant serves. */
export interface Served {
  readonly application: Application;
  /** The static files' folder. */
  readonly folder: string;
}

/**
 * Creates a contestant.
 *
 * @param contestant Its name
 * @param served Its application and files
 * @param honoStatic Loads Hono's static file middleware for this runtime
 * @returns Its handler
 * @throws {Error} If there is no contestant with that name
 */
export async function fetchHandler(
  contestant: string,
  { application, folder }: Served,
  honoStatic: () => Promise<ServeStatic>,
): Promise<FetchHandler> {
  switch (contestant) {
    case "hand":
      return (await import("./by_hand_web.ts")).byHandWeb(application, "fewest", folder);
    case "hand-lean":
      return (await import("./by_hand_web.ts")).byHandWeb(application, "lean", folder);
    case "hand-same":
      return (await import("./by_hand_web.ts")).byHandWeb(application, "same", folder);
    case "sluice":
      return (await import("./sluice.ts")).sluiceApp(application, "defaults", folder).fetch;
    case "sluice-lean":
      return (await import("./sluice.ts")).sluiceApp(application, "lean", folder).fetch;
    case "hono":
      return (await import("./hono.ts")).honoHandler(application, "none", await honoStatic(), folder);
    case "hono-etag":
      return (await import("./hono.ts")).honoHandler(application, "etag", await honoStatic(), folder);
    case "h3":
      return (await import("./h3.ts")).h3App(application, folder).fetch as FetchHandler;
    case "elysia":
      return (await import("./elysia.ts")).elysiaApp(application).fetch;
    default:
      throw new Error(`there is no contestant "${contestant}"`);
  }
}

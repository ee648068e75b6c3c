/** Every contestant that is a `fetch` handler; only its own code is loaded. */

/** Answers a request. */
export type FetchHandler = (request: Request, info?: unknown) => Response | Promise<Response>;

/**
 * Makes a contestant.
 *
 * @param contestant Its name
 * @returns Its handler
 * @throws {Error} If there is none of that name
 */
export async function fetchHandler(contestant: string): Promise<FetchHandler> {
  switch (contestant) {
    case "raw":
      return (await import("./raw.ts")).rawHandler("fewest");
    case "raw-lean":
      return (await import("./raw.ts")).rawHandler("lean");
    case "raw-same":
      return (await import("./raw.ts")).rawHandler("same");
    case "least":
      return (await import("./least.ts")).leastHandler;
    case "sluice":
    case "sluice-lean":
      return (await import("./sluice.ts")).sluiceApp(contestant === "sluice-lean").fetch;
    case "hono":
    case "hono-etag":
      return (await import("./hono.ts")).honoHandler(contestant === "hono-etag");
    case "h3":
      return (await import("./h3.ts")).h3App().fetch;
    case "elysia":
      return (await import("./elysia.ts")).elysiaApp().fetch;
    default:
      throw new Error(`there is no contestant "${contestant}"`);
  }
}

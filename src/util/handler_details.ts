/** Where middleware was registered. */
export interface Registration {
  /** The registering method, for error messages: `app.post`. */
  readonly caller: string;
  /** Method in lower case, `null` for all methods. */
  readonly method: string | null;
  /** The path as registered. */
  readonly path: unknown;
  /** Names of the path's parameters; `null` if its router may merge those from enclosing paths. */
  readonly params: readonly string[] | null;
  /** The route, which is `req.route` while it runs. */
  readonly route: object;
}

/** Details that middleware declares for route listings. */
export interface HandlerDetails {
  /** Its name, instead of the function's. */
  readonly name?: string;
  /** The limits it enforces, by option name: `{ limit: "100 kB" }`. */
  readonly limits?: Readonly<Record<string, string | number>>;
  /** Media types or ranges for the bodies it reads: `["application/json"]`. */
  readonly reads?: readonly string[];
  /** The parts of the request it validates, by name, with their validators: `{ body: schema }`. */
  readonly validates?: Readonly<Record<string, unknown>>;
  /** Responses from it or the handlers after it, by status, with their description: `{ 200: schema }`. */
  readonly responds?: Readonly<Record<string, unknown>>;
  /**
   * How it refuses requests itself, by status, with a description of the response: `{ 422: { description, schema } }`.
   * Middleware's refusals are unknown unless declared.
   */
  readonly refuses?: Readonly<Record<string, unknown>>;
  /** Documentation for the route, such as `{ summary: "…", tags: ["…"] }`. */
  readonly operation?: Readonly<Record<string, unknown>>;
  /**
   * Whether this middleware itself responds to a GET request, with a page that costs almost nothing and that operators
   * depend on: load shedding, rate limits and concurrency limits exempt such requests. Not shown in listings.
   *
   * @param path The path below its mount, not decoded
   * @param mount The path of its mount, without the slash at the end; empty if it has none
   * @param isRoute Whether it is a route's handler
   * @param app The application, for its settings
   */
  readonly page?: (
    path: string,
    mount: string,
    isRoute: boolean,
    app: { enabled(setting: string): boolean },
  ) => boolean;
  /** Called when it becomes a route's handler; throws if it cannot work there. Not shown in listings. */
  readonly registered?: (registration: Registration) => void;
}

/**
 * Key under which any package's middleware declares its details; the package needs only this name:
 * `Symbol.for("sluice.details")`.
 */
export const detailsKey: unique symbol = Symbol.for("sluice.details");

/**
 * Attaches details to middleware.
 *
 * @typeParam T The middleware
 * @param handler The middleware
 * @param details Its details
 * @returns The same middleware
 */
export function withDetails<T extends object>(handler: T, details: HandlerDetails): T {
  return Object.defineProperty(handler, detailsKey, { value: details });
}

/**
 * Returns middleware's details.
 *
 * @param handler The middleware
 * @returns An empty object if it declares none
 */
export function detailsOf(handler: object): HandlerDetails {
  const details = (handler as { [detailsKey]?: unknown })[detailsKey];
  return typeof details === "object" && details !== null ? details : {};
}

/**
 * The details shown in listings.
 *
 * @param details The middleware's details
 */
export function shownDetails({ registered: _, page: __, ...shown }: HandlerDetails): HandlerDetails {
  return shown;
}

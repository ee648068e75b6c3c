/** Where a middleware was registered. */
export interface Registration {
  /** What registered it, for error messages: `app.post`. */
  readonly caller: string;
  /** Method in lower case, `null` for all. */
  readonly method: string | null;
  /** The path, as it was given. */
  readonly path: unknown;
  /** Names of the path's parameters; `null` if its router may merge those of paths around it. */
  readonly params: readonly string[] | null;
}

/** What a middleware says of itself where routes are listed. */
export interface HandlerDetails {
  /** Its name, instead of the function's. */
  readonly name?: string;
  /** What it keeps, by the names of its options: `{ limit: "100 kB" }`. */
  readonly limits?: Readonly<Record<string, string | number>>;
  /** Media types of the bodies that it reads, or ranges of them: `["application/json"]`. */
  readonly reads?: readonly string[];
  /** Parts of the request that it checks, by their names, with what they are checked by: `{ body: schema }`. */
  readonly validates?: Readonly<Record<string, unknown>>;
  /** What it, or the handlers behind it, respond with, by status, with what describes it: `{ 200: schema }`. */
  readonly responds?: Readonly<Record<string, unknown>>;
  /**
   * How it refuses requests itself, by status, with what describes the response: `{ 422: { description, schema } }`.
   * Nothing is known of what refuses requests and does not say how.
   */
  readonly refuses?: Readonly<Record<string, unknown>>;
  /** What it says of the route to whoever documents it, such as `{ summary: "…", tags: ["…"] }`. */
  readonly operation?: Readonly<Record<string, unknown>>;
  /**
   * Whether it responds to a GET request itself, with a page that costs next to nothing and that operators depend on:
   * load shedding, and limits of rate and concurrency, leave such requests alone. Listings do not show it.
   *
   * @param path The path below its mount, not decoded
   * @param isMounted Whether it is below a path
   * @param app The application, for its settings
   */
  readonly page?: (path: string, isMounted: boolean, app: { enabled(setting: string): boolean }) => boolean;
  /** Called when it becomes a handler of a route; throws if it cannot work there. Listings do not show it. */
  readonly registered?: (registration: Registration) => void;
}

/**
 * Key under which a middleware says what it does; of any package, which needs nothing but this name:
 * `Symbol.for("sluice.details")`.
 */
export const detailsKey: unique symbol = Symbol.for("sluice.details");

/**
 * Makes a middleware say what it does.
 *
 * @typeParam T The middleware
 * @param handler The middleware
 * @param details What it says
 * @returns The same middleware
 */
export function withDetails<T extends object>(handler: T, details: HandlerDetails): T {
  return Object.defineProperty(handler, detailsKey, { value: details });
}

/**
 * What a middleware says of itself.
 *
 * @param handler The middleware
 * @returns An empty object if it says nothing
 */
export function detailsOf(handler: object): HandlerDetails {
  const details = (handler as { [detailsKey]?: unknown })[detailsKey];
  return typeof details === "object" && details !== null ? details : {};
}

/**
 * What listings show of it.
 *
 * @param details What a middleware says of itself
 */
export function shownDetails({ registered: _, page: __, ...shown }: HandlerDetails): HandlerDetails {
  return shown;
}

/** Key of an application's profile. */
export const profileKey: unique symbol = Symbol("profile");

/** What Express's applications do in another way than Sluice's for each request. */
export interface AppProfile {
  /** Value of `X-Powered-By`, which the setting `x-powered-by` sends. */
  readonly poweredBy: string;
  /** Separator of the methods in the response to OPTIONS. */
  readonly methodSeparator: string;
  /**
   * The content type that a file is sent with.
   *
   * @param type The one that Sluice sends it with
   */
  fileType(type: string): string;
}

/**
 * Value of `X-Powered-By`.
 *
 * @param app The application
 */
export function poweredBy(app: { readonly [profileKey]: AppProfile | null }): string {
  return app[profileKey]?.poweredBy ?? "Sluice";
}

/** Key of an application's profile. */
export const profileKey: unique symbol = Symbol("profile");

/** How requests to Express applications differ from Sluice's. */
export interface AppProfile {
  /** Value for `X-Powered-By`, sent if the setting `x-powered-by` is on. */
  readonly poweredBy: string;
  /** Separator between methods in the OPTIONS response. */
  readonly methodSeparator: string;
  /**
   * Returns the content type to send a file with.
   *
   * @param type The type that Sluice would send
   */
  fileType(type: string): string;
}

/**
 * Returns the value of `X-Powered-By`.
 *
 * @param app The application
 */
export function poweredBy(app: { readonly [profileKey]: AppProfile | null }): string {
  return app[profileKey]?.poweredBy ?? "Sluice";
}

/** Key of an application's profile. */
export const profileKey: unique symbol = Symbol("profile");

/** How requests to Express applications differ from Sluice's. */
export interface AppProfile {
  /** Value for `X-Powered-By`, sent if the setting `x-powered-by` is on. */
  readonly poweredBy: string;
  /**
   * Returns the content type to send a file with.
   *
   * @param type The type that Sluice would send
   */
  fileType(type: string): string;
  /**
   * Responds to OPTIONS with the methods of the path's routes, if not as Sluice does.
   *
   * @param res The response
   * @param methods The uppercase methods, each once
   */
  sendMethods?(res: object, methods: readonly string[]): void;
}

/**
 * Returns the value of `X-Powered-By`.
 *
 * @param app The application
 */
export function poweredBy(app: { readonly [profileKey]: AppProfile | null }): string {
  return app[profileKey]?.poweredBy ?? "Sluice";
}

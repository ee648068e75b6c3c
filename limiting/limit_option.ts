/** Options under either name. */
interface Limited {
  readonly limit?: unknown;
  readonly max?: unknown;
}

/**
 * Reads the limit from a limiter's options: `limit`, or `max`, the name in the specification and in older versions of
 * express-rate-limit.
 *
 * @typeParam Options The options
 * @param caller Name of the caller for error messages
 * @param options The options given
 * @returns `undefined` if neither is given
 * @throws {TypeError} If both are given and differ
 */
export function limitOf<Options extends Limited>(
  caller: string,
  { limit, max }: Options,
): Options["limit"] | Options["max"] {
  if (limit !== undefined && max !== undefined && limit !== max) {
    throw new TypeError(`${caller}: options limit and max are the same; set only limit`);
  }
  return limit === undefined ? max : limit;
}

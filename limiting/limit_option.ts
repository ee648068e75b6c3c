/** Options that may have either name. */
interface Limited {
  readonly limit?: unknown;
  readonly max?: unknown;
}

/**
 * The limit among the options of a limiter: `limit`, or `max`, as the specification and older versions of
 * express-rate-limit have it.
 *
 * @typeParam Options The options
 * @param caller Name of the caller for error messages
 * @param options What was given
 * @returns `undefined` if neither is given
 * @throws {TypeError} If both are given, and differ
 */
export function limitOf<Options extends Limited>(
  caller: string,
  { limit, max }: Options,
): Options["limit"] | Options["max"] {
  if (limit !== undefined && max !== undefined && limit !== max) {
    throw new TypeError(`${caller}: options limit and max are the same; give limit alone`);
  }
  return limit === undefined ? max : limit;
}

/**
 * Whether a target may be something else than the client's: servers put URLs together from the `Host` header and the
 * target of the request, and not all of them look at either.
 */
export const TARGET_DOUBT = {
  /** There is no doubt. */
  none: 0,
  /** The path may begin in the header: there is more than one slash, or the host is not the client's. */
  shared: 1,
  /** There is only a path. Then there was no header, as in HTTP/1.0, or the server found it improper. */
  alone: 2,
  /** The host is improper. */
  improper: 3,
} as const;

/** One of {@linkcode TARGET_DOUBT}. */
export type TargetDoubt = (typeof TARGET_DOUBT)[keyof typeof TARGET_DOUBT];

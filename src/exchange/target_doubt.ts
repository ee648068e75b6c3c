/**
 * Whether a target may differ from the client's: servers build URLs from the `Host` header and the request target, and
 * some check neither.
 */
export const TARGET_DOUBT = {
  /** There is no doubt. */
  none: 0,
  /** The path may begin in the header: there is more than one slash, or the host is not the client's. */
  shared: 1,
  /** There is only a path, because there was no header, as in HTTP/1.0, or the server found it invalid. */
  alone: 2,
  /** The host is invalid. */
  improper: 3,
} as const;

/** One of {@linkcode TARGET_DOUBT}. */
export type TargetDoubt = (typeof TARGET_DOUBT)[keyof typeof TARGET_DOUBT];

/**
 * Options for matching a path.
 *
 * @internal
 */
export interface PathOptions {
  /** Whether paths are case-sensitive. */
  readonly sensitive: boolean;
  /** Whether a trailing slash matters. */
  readonly strict: boolean;
  /** Whether the whole path must match (routes), or only its beginning (mounts). */
  readonly end: boolean;
}

/**
 * How a path is matched.
 *
 * @internal
 */
export interface PathOptions {
  /** Whether paths are case-sensitive. */
  readonly sensitive: boolean;
  /** Whether a trailing slash makes a difference. */
  readonly strict: boolean;
  /** Whether the whole path must match (routes), or only its beginning (mounts). */
  readonly end: boolean;
}

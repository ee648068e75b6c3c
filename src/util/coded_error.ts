/**
 * Sets an error's `code` to the one on Node's error for the same mistake, which programs compare.
 *
 * @param code Node's code
 * @param error The error
 * @returns The error
 */
export function coded<E extends Error>(code: string, error: E): E & { readonly code: string } {
  return Object.assign(error, { code });
}

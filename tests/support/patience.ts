/**
 * How long a test waits for something before it fails, in ms: long enough for a busy machine. A passing test never
 * waits that long.
 */
export const PATIENCE_MS = 30_000;

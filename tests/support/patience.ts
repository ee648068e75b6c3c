/**
 * ms that a test waits for what must come before it calls it missing: long enough for a machine whose processors are
 * busy elsewhere. What passes never waits so long.
 */
export const PATIENCE_MS = 30_000;

/**
 * How long, in ms, a test waits for something before it fails: long enough for a machine whose processors are busy. A
 * passing test never waits that long.
 */
export const PATIENCE_MS = 30_000;

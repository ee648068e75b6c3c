const PEERS: unique symbol = Symbol.for("sluice.peers");

/**
 * Whether the program reads addresses of clients. Node and Bun forget the address with the connection, so that it has to
 * be read before a handler waits, which on Bun takes a sixth of a request. Programs that never ask do not pay for it.
 *
 * Shared by all copies of this module: limiters of `@sluice/rate-limit` have one of their own.
 */
export const peers: { expected: boolean } = (globalThis as { [PEERS]?: { expected: boolean } })[PEERS] ??= {
  expected: false,
};

/**
 * Notes that addresses are read, or will be: limiters tell so when they are made, because a client must not get away
 * from its limit by leaving.
 */
export function expectPeers(): void {
  peers.expected = true;
}

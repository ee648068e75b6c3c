const PEERS: unique symbol = Symbol.for("sluice.peers");

/**
 * Whether the program reads client addresses. Node and Bun lose the address with the connection, so it must be read
 * before a handler waits. On Bun, this read accounts for a sixth of the time per request. Programs that read no
 * addresses do not pay for it.
 *
 * Shared by all copies of this module: limiters from `@sluice/rate-limit` have their own copy.
 */
export const peers: { expected: boolean } = (globalThis as { [PEERS]?: { expected: boolean } })[PEERS] ??= {
  expected: false,
};

/**
 * Records that addresses are or will be read. Limiters call this on creation, because a client must not escape its
 * limit by disconnecting.
 */
export function expectPeers(): void {
  peers.expected = true;
}

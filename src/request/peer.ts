/** The other end of the connection, as reported by the platform. */
export interface Peer {
  /** IP address, `undefined` if there is none (in-process requests, Unix sockets). */
  readonly address: string | undefined;
  /** TCP port, `undefined` if unknown. */
  readonly port?: number | undefined;
}

/**
 * Whether the program reads addresses of clients. Node and Bun forget the address with the connection, so that it has to
 * be read before a handler waits, which on Bun takes a sixth of a request. Programs that never ask do not pay for it.
 */
export let peersExpected = false;

/**
 * Notes that addresses are read, or will be: limiters tell so when they are made, because a client must not get away
 * from its limit by leaving.
 */
export function expectPeers(): void {
  peersExpected = true;
}

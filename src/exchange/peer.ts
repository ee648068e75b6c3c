/** The other end of the connection, as reported by the platform. */
export interface Peer {
  /** IP address, `undefined` if there is none (in-process requests, Unix sockets). */
  readonly address: string | undefined;
  /** TCP port, `undefined` if unknown. */
  readonly port?: number | undefined;
}

/**
 * Key of the peer on a request that `app.inject` created. No request over a network has it.
 *
 * @internal
 */
export const peerKey: unique symbol = Symbol("sluice.peer");

/** A request that `app.inject` created. */
export interface InjectedRequest {
  /** Its peer, unless the platform reports one. */
  readonly [peerKey]?: Peer;
}

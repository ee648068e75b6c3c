/** The other end of the connection, as the platform tells it. */
export interface Peer {
  /** IP address, `undefined` where the platform tells none (in-process requests, Unix sockets). */
  readonly address: string | undefined;
  /** TCP port, `undefined` where unknown. */
  readonly port?: number | undefined;
}

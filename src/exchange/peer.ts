/** The other end of the connection, as reported by the platform. */
export interface Peer {
  /** IP address, `undefined` if there is none (in-process requests, Unix sockets). */
  readonly address: string | undefined;
  /** TCP port, `undefined` if unknown. */
  readonly port?: number | undefined;
}

/** Constants and types shared by the server and its clients. */

/** Bytes in a response sent as a whole. */
export const RESPONSE_BYTES = 2 * 1024 * 1024;

/** Bytes of messages queued for a WebSocket client; more than 16 MiB would close it. */
export const QUEUED_BYTES = 15 * 1024 * 1024;

/** Response from `/figures`. */
export interface Figures {
  /** Requests with a called handler and an unfinished response. */
  readonly running: number;
  /** The port with TLS and HTTP/2, if there is one. */
  readonly tlsPort: number | null;
  /** Whether the runtime has Zstandard. */
  readonly zstd: boolean;
}

/** Default for `maxMessageBytes`. */
export const MAX_MESSAGE_BYTES: number = 1024 * 1024;

/** Default for `maxBufferedBytes`. */
export const MAX_BUFFERED_BYTES: number = 16 * 1024 * 1024;

/** Bytes passed to the runtime before the client has read them; the rest wait where they can be dropped. */
export const PASSED_BYTES: number = 256 * 1024;

/** Code and reason for a client whose message is longer than `maxMessageBytes` (RFC 6455 section 7.4.1). */
export const TOO_BIG = [1009, "Message too big"] as const;

/** Code and reason if more than `maxBufferedBytes` wait for a client. 1013, from IANA's registry: try again later. */
export const TOO_SLOW = [1013, "The client reads too slowly"] as const;

/** Code and reason for a client that sends messages faster than its handlers finish. */
export const TOO_BUSY = [1013, "Too many messages are waiting"] as const;

/** The server's end of a connection: the web's `WebSocket`, plus methods that some runtimes add. */
export interface ServerEnd extends WebSocket {
  /**
   * Stops reading from the client until `resume`.
   *
   * @returns Whether the runtime supports it
   */
  pause?(): boolean;
  /** Resumes reading. */
  resume?(): void;
}

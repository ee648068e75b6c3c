import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** A socket with the response that Node is writing to it. */
type RespondingSocket = Duplex & { readonly _httpMessage?: ServerResponse | null };

/**
 * A socket that Node has detached for an upgrade request. Earlier pipelined requests on it may still await their
 * responses, so the upgrade has to wait.
 */
export class DetachedSocket {
  readonly #socket: RespondingSocket;

  /**
   * Handles a socket's events in Node's place.
   *
   * @param socket The socket
   */
  constructor(socket: Duplex) {
    this.#socket = socket;
    // Node has removed its own listeners; without any listeners, a connection reset would crash the process
    socket.on("error", ignore);
    socket.on("end", leave);
    socket.on("drain", drain);
  }

  /**
   * Waits until no response is being written to it.
   *
   * @returns Whether it is still writable
   */
  async freed(): Promise<boolean> {
    // the next response gets the socket before the previous one is closed
    for (let before = this.#pendingResponse(); before !== null; before = this.#pendingResponse()) await closed(before);
    return this.#socket.writable;
  }

  #pendingResponse(): ServerResponse | null {
    return this.#socket.destroyed ? null : this.#socket._httpMessage ?? null;
  }

  /** Removes the listeners. */
  release(): void {
    this.#socket.off("error", ignore).off("end", leave).off("drain", drain);
  }
}

function closed(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => res.once("close", resolve));
}

// `close` follows an error, so this ignores the error
function ignore(): void {}

// a client that has ended its side cannot open a WebSocket
function leave(this: Duplex): void {
  this.destroy();
}

// Node passes `drain` on only for sockets it watches itself
function drain(this: RespondingSocket): void {
  this._httpMessage?.emit("drain");
}

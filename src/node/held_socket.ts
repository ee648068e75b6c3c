import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** A socket, and the response Node is writing to it. */
type AnsweringSocket = Duplex & { readonly _httpMessage?: ServerResponse | null };

/**
 * A socket that Node has let go of, because a request on it offers an upgrade. That request may have come right behind
 * others whose answers are still on their way, and it has to wait for its turn.
 */
export class HeldSocket {
  readonly #socket: AnsweringSocket;

  /**
   * Looks after a socket in Node's place.
   *
   * @param socket The socket
   */
  constructor(socket: Duplex) {
    this.#socket = socket;
    // Node has taken its own listeners away; without one, a client that breaks off would end the process
    socket.on("error", ignore);
    socket.on("end", leave);
    socket.on("drain", drain);
  }

  /**
   * Waits until nothing is written to it any more.
   *
   * @returns Whether something can be
   */
  async freed(): Promise<boolean> {
    // the answer behind has the socket before the one in front of it is closed
    for (let before = this.#answering(); before !== null; before = this.#answering()) await closed(before);
    return this.#socket.writable;
  }

  #answering(): ServerResponse | null {
    return this.#socket.destroyed ? null : this.#socket._httpMessage ?? null;
  }

  /** Leaves it to somebody else. */
  release(): void {
    this.#socket.off("error", ignore).off("end", leave).off("drain", drain);
  }
}

function closed(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => res.once("close", resolve));
}

// the socket closes after an error, and that is enough to know
function ignore(): void {}

// a client that has sent its last byte waits for no connection
function leave(this: Duplex): void {
  this.destroy();
}

// Node tells a response only about sockets it watches itself
function drain(this: AnsweringSocket): void {
  this._httpMessage?.emit("drain");
}

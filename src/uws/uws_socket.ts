import { HandledSocket } from "../platform/shared/handled_socket.ts";
import { bytesOf } from "../websocket/socket_data.ts";
import type { EngineSocket } from "./engine.ts";

/** The part of the web's `WebSocket` used here, over one of the engine's. */
export class UwsSocket extends HandledSocket<EngineSocket<unknown>> {
  #isEnding = false;

  get readyState(): number {
    if (this.isClosed) return 3;
    if (this.native === null) return 0;
    return this.#isEnding ? 2 : 1;
  }

  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (this.readyState !== 1) return;
    if (typeof data === "string") this.native?.send(data, false);
    else this.native?.send(bytesOf(data), true);
  }

  close(code = 1000, reason = ""): void {
    if (this.readyState !== 1) return;
    this.#isEnding = true;
    this.native?.end(code, reason);
  }

  terminate(): void {
    this.native?.close();
  }
}

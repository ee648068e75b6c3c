import { utf8Length } from "../../util/encodings.ts";

/** Close event for a client that stopped reading, the same as for one that does not answer pings. */
const GONE: CloseEventInit = {
  wasClean: false,
  code: 1006,
  reason: "No response to a ping: the client stopped reading",
};

/**
 * Ends connections whose clients stop reading. Deno queues its pings and its close after the waiting messages, so it
 * would never notice, and would buffer more and more. Nor does it ping clients that ignore its Close frame; it would
 * wait for them indefinitely.
 *
 * Deno keeps its buffers until the connection ends. But the application sees it as closed and sends no more.
 *
 * @param socket The server's end
 * @param timeoutMs Time before such a client counts as disconnected, in ms; 0 means never
 */
export function guardSlowClient(socket: WebSocket, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  let waiting = 0;
  let added = 0;
  let isHeard = false;
  let looks = 0;
  const heard = (): void => void (isHeard = true);
  // installed only while bytes are waiting, to count further ones
  const send = (data: Parameters<WebSocket["send"]>[0]): void => {
    WebSocket.prototype.send.call(socket, data);
    added += typeof data === "string" ? utf8Length(data) : data instanceof Blob ? data.size : data.byteLength;
  };
  const look = (): void => {
    const { bufferedAmount, readyState } = socket;
    const isStuck = !isHeard && waiting > 0 && waiting + added === bufferedAmount;
    looks = isStuck || readyState === WebSocket.CLOSING ? looks + 1 : 0;
    if (looks === 2) return end();
    [waiting, added, isHeard] = [bufferedAmount, 0, false];
    if (waiting > 0) {
      socket.send = send;
      socket.addEventListener("message", heard);
    } else {
      Reflect.deleteProperty(socket, "send");
      socket.removeEventListener("message", heard);
    }
  };
  const end = (): void => {
    stop();
    // from now on, messages are dropped
    socket.close();
    socket.dispatchEvent(new CloseEvent("close", GONE));
  };
  let timer: ReturnType<typeof setInterval> | undefined = undefined;
  const stop = (): void => clearInterval(timer);
  // only from `open`: if the client disconnects before the handshake completes, there is neither `open` nor `close`
  socket.addEventListener("open", () => Deno.unrefTimer(timer = setInterval(look, timeoutMs / 2)));
  socket.addEventListener("close", stop);
}

import { utf8Length } from "../http/encodings.ts";

/** How a client that takes nothing any more is said to have left, as one that answers no ping. */
const GONE: CloseEventInit = {
  wasClean: false,
  code: 1006,
  reason: "No response to a ping: nothing was taken any more",
};

/**
 * Ends connections whose clients take nothing any more. Deno's ping would wait behind what waits for them already, and
 * so would its end: for as long as they like, while more and more is kept for them.
 *
 * What Deno holds of one is let go of with the connection. But it is over for the application, which sends no more.
 *
 * @param socket The server's end
 * @param timeoutMs ms after which such a client is taken for gone, 0 for never
 */
export function endStalled(socket: WebSocket, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  let waiting = 0;
  let added = 0;
  let isHeard = false;
  let looks = 0;
  const heard = (): void => void (isHeard = true);
  // bytes and messages are counted only while some bytes have been found waiting
  const send = (data: Parameters<WebSocket["send"]>[0]): void => {
    WebSocket.prototype.send.call(socket, data);
    added += typeof data === "string" ? utf8Length(data) : data instanceof Blob ? data.size : data.byteLength;
  };
  const look = (): void => {
    const { bufferedAmount } = socket;
    looks = !isHeard && waiting > 0 && waiting + added === bufferedAmount ? looks + 1 : 0;
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
    // what is sent from now on goes nowhere
    socket.close();
    socket.dispatchEvent(new CloseEvent("close", GONE));
  };
  let timer: ReturnType<typeof setInterval> | undefined = undefined;
  const stop = (): void => clearInterval(timer);
  // one whose client leaves before the handshake is answered never opens, and nobody is told that it closes
  socket.addEventListener("open", () => Deno.unrefTimer(timer = setInterval(look, timeoutMs / 2)));
  socket.addEventListener("close", stop);
}

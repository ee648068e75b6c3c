/** Time in which a socket opens: Deno opens it within a few turns of the event loop after its handshake. */
const OPENING_MS = 2500;

/**
 * Closes a socket that does not open. If the client disconnects before its handshake is answered, Deno dispatches
 * neither `open` nor `close`, and the request would never end.
 *
 * @param socket The server's end
 */
export function closeUnopened(socket: WebSocket): void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (expired: () => void): void => Deno.unrefTimer(timer = setTimeout(expired, OPENING_MS));
  // twice, because after a long pause of the program, the timer runs before the event
  wait(() => wait(() => socket.dispatchEvent(new CloseEvent("close", { wasClean: false, code: 1006 }))));
  socket.addEventListener("open", () => clearTimeout(timer), { once: true });
}

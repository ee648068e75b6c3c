/** How many applications of this process are being closed: while there are none, no response is looked at. */
export let closings = 0;

/**
 * Notes that the closing of an application has begun, or is over.
 *
 * @param change 1 or -1
 */
export function noteClosing(change: 1 | -1): void {
  closings += change;
}

/**
 * Tells the client of a response to send nothing more on the connection, which is about to be closed: a request that
 * crosses with that would be lost, and nobody repeats a POST.
 *
 * @param response The response, which nobody has sent yet
 * @returns The same, or a copy if its headers cannot be changed
 */
export function lastOfConnection(response: Response): Response {
  if (response.status === 101) return response;
  try {
    response.headers.set("connection", "close");
    return response;
  } catch {
    const copy = new Response(response.body, response);
    copy.headers.set("connection", "close");
    return copy;
  }
}

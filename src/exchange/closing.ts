/** Number of applications closing in this process; while it is 0, no response is inspected. */
export let closings = 0;

/**
 * Records that an application has begun or finished closing.
 *
 * @param change 1 or -1
 */
export function noteClosing(change: 1 | -1): void {
  closings += change;
}

/**
 * Marks a response so its client stops using the connection, which is about to close: a request in transit would be
 * lost, and clients do not repeat a POST.
 *
 * @param response The response, not yet sent
 * @returns The same response, or a copy if its headers are immutable
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

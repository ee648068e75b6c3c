/**
 * Rejects a response that no runtime can send, while an error handler can still respond. Runtimes notice only on
 * sending: Node would cut the connection, others would send a 500 that no handler sees. {@linkcode assertUnlocked}
 * checks whether the body is being read. That applies only to streams, and checking for one takes time.
 *
 * @param response A response that a handler returned
 * @param request The request
 * @throws {TypeError} If its body was used, or its status is 0, or 101 without an upgrade request
 */
export function assertSendable(response: Response, request: Request): void {
  const { status } = response;
  if (response.bodyUsed) throw used();
  if (status === 0) {
    throw new TypeError("a Response with status 0 was returned, such as Response.error(), which cannot be sent");
  }
  if (status === 101 && !asksForUpgrade(request)) {
    throw new TypeError("a Response with status 101 was returned to a request that does not ask for an upgrade");
  }
}

function asksForUpgrade(request: Request): boolean {
  try {
    return request.headers.has("upgrade");
  } catch {
    // Deno closes a request when it upgrades it
    return true;
  }
}

/**
 * Rejects a response body that is being read.
 *
 * @param body The body, if it is a stream
 * @throws {TypeError} If it is locked
 */
export function assertUnlocked(body: ReadableStream | null): void {
  if (body?.locked) throw used();
}

function used(): TypeError {
  return new TypeError(
    "the returned Response has a body that was or is being read: make one for each request, or return " +
      "response.clone() while the body is unread",
  );
}

/**
 * Refuses a response that no runtime can send, while an error handler can still respond. Runtimes only notice when they
 * send it: Node's connection would be cut, and others would send a 500 that no handler hears of. Whether the body is
 * being read is left to {@linkcode assertUnlocked}: only streams can be, and looking for one takes time.
 *
 * @param response A response that a handler returned
 * @param request The request
 * @throws {TypeError} If its body was used, its status is 0, or 101 without a request for an upgrade
 */
export function assertSendable(response: Response, request: Request): void {
  const { status } = response;
  if (response.bodyUsed) throw used();
  if (status === 0) {
    throw new TypeError("a Response with status 0 was returned, such as Response.error(), which cannot be sent");
  }
  if (status === 101 && !asksForUpgrade(request)) {
    throw new TypeError("a Response with status 101 was returned to a request that asks for no upgrade");
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
 * Refuses the body of a response that is being read.
 *
 * @param body The body, if it is a stream
 * @throws {TypeError} If it is locked
 */
export function assertUnlocked(body: ReadableStream | null): void {
  if (body?.locked) throw used();
}

function used(): TypeError {
  return new TypeError(
    "the Response that was returned has a body that was used already, or is being read: make one for each request, or " +
      "return response.clone() as long as its body is unused",
  );
}

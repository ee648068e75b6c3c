let marker: Response | null = null;

/**
 * Stands in for the response to a handshake that the runtime has already completed. All connections share it: a copy
 * would use about 0.3 kB for the lifetime of each connection. Not all runtimes can construct one with status 101, so
 * the status is defined afterwards; headers set on it have no effect.
 */
export function upgradedResponse(): Response {
  return marker ??= Object.defineProperties(new Response(null), {
    status: { value: 101 },
    statusText: { value: "Switching Protocols" },
    ok: { value: false },
    headers: { get: () => new Headers() },
  });
}

import type { EndingResponse } from "@sluice/limiting";

/** Aborts when the client of a Node-style response disconnects, or immediately if it already has. */
export function signalOf(res: EndingResponse): AbortSignal {
  if (res.closed || res.destroyed) return AbortSignal.abort();
  const leaving = new AbortController();
  res.on("close", () => leaving.abort());
  return leaving.signal;
}

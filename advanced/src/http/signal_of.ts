import type { EndingResponse } from "@sluice/limiting";

/** Aborts when the client of a response of Node's interface leaves; at once if it has left already. */
export function signalOf(res: EndingResponse): AbortSignal {
  if (res.closed || res.destroyed) return AbortSignal.abort();
  const leaving = new AbortController();
  res.on("close", () => leaving.abort());
  return leaving.signal;
}

/** How a request and a closing may end. */
import type { Wrong } from "../fuzzer.ts";
import type { Closing } from "./closing.ts";
import type { Visit } from "./live.ts";
import type { Seen } from "./target.ts";

/** Imprecision of timers and of a client's view, in ms. */
const EARLY_MS = 5;

/** How late a closing may settle on a busy machine, in ms. */
const LATE_MS = 3000;

/** Ways that end only with the closing. */
const LASTING = ["told", "sse", "endless", "silent", "socket"];

/**
 * Checks one request.
 *
 * @param visit The request
 * @param seen The handler's view, unless none has begun
 * @param all All of its application's closings
 */
export function wrongVisit(
  { action, client, opened }: Visit,
  seen: Seen | undefined,
  all: readonly Closing[],
): Wrong | undefined {
  const { outcome } = client;
  const { status, leftAt, overAt, isWhole, code } = outcome;
  if (leftAt !== undefined) return undefined;
  const detail = () => JSON.stringify({ ...action, ...outcome, seen, closings: opened.closings.map(shown) });
  const wrong = (kind: string): Wrong => ({ kind: `${kind}: ${action.way}`, detail: detail() });
  const stopped = opened.closings.some(({ stopsAt, cutsAt }) => Math.min(stopsAt, cutsAt) <= overAt + EARLY_MS);
  const cut = opened.closings.some(({ cutsAt }) => cutsAt <= overAt + EARLY_MS);
  if (seen === undefined) return stopped ? undefined : wrong("a server that listens does not respond");
  if (action.way === "socket") {
    // the end of a delay closes all WebSockets, on later servers, too
    const told = all.some(({ stopsAt, cutsAt }) => Math.min(stopsAt, cutsAt) <= overAt + EARLY_MS);
    if (status === 503) return told ? undefined : wrong("a server that listens refuses a WebSocket");
    if (code === 1001) return told ? undefined : wrong("a WebSocket is closed without a reason");
    return cut ? undefined : wrong(`a WebSocket gets ${code ?? status} and no 1001`);
  }
  // a request that waits for its handler gets a 503 instead
  if (!isWhole || status === 503) return cut ? undefined : wrong("a request in progress is cut");
  if (status !== 200) return wrong(`a request ends with ${status}`);
  return undefined;
}

/**
 * Checks that a closing has settled in time.
 *
 * @param closing The closing
 * @param visits All of its application's requests
 * @param seen The handlers' views
 */
export function wrongClosing(
  closing: Closing,
  visits: readonly Visit[],
  seen: ReadonlyMap<string, Seen>,
): Wrong | undefined {
  const { settledAt = Infinity, cutsAt, stopsAt, servers } = closing;
  const ends = visits.filter(({ opened }) => servers.includes(opened)).map(({ action, client }) => {
    const { begunAt = 0, workedAt = 0 } = seen.get(client.id) ?? {};
    // a handler may not notice that its client has left
    const handledAt = LASTING.includes(action.way) ? 0 : begunAt + action.ms;
    return Math.max(client.outcome.overAt, handledAt, workedAt);
  });
  const dueAt = Math.min(cutsAt, Math.max(stopsAt, ...ends));
  if (settledAt <= dueAt + LATE_MS) return undefined;
  return {
    kind: "a closing settles late",
    detail: `${Math.round(settledAt - dueAt)} ms, ${JSON.stringify(shown(closing))}`,
  };
}

function shown({ begunAt, stopsAt, cutsAt, settledAt }: Closing): object {
  return { begunAt, stopsAt, cutsAt, settledAt };
}

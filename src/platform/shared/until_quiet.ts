import { created } from "../../util/sequence.ts";

/** Consecutive polls without a new request before nothing counts as waiting to be accepted or read. */
const QUIET_POLLS = 3;

/** Maximum number of polls: a server under a flood is never quiet. */
const MOST_POLLS = 1000;

/**
 * Waits until the runtime has accepted and read everything that has reached the process. When the runtime stops
 * listening, it resets unaccepted connections and connections with unread requests. Call this right before that,
 * without a timer in between: data that arrives while the process sleeps would be seen too late.
 *
 * @param nextPoll Resolves once the runtime has polled again for connections and bytes, without sleeping
 */
export async function untilQuiet(nextPoll: () => Promise<unknown>): Promise<void> {
  for (let poll = 0, quiet = 0; quiet < QUIET_POLLS && poll < MOST_POLLS; poll++) {
    const { last } = created;
    await nextPoll();
    quiet = created.last === last ? quiet + 1 : 0;
  }
}

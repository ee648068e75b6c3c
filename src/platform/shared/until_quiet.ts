import { created } from "../../util/sequence.ts";

/** Polls without a new request after which nothing is waiting to be accepted or read. */
const QUIET_POLLS = 3;

/** Most polls: a server under a flood is never quiet. */
const MOST_POLLS = 1000;

/**
 * Waits until the runtime has accepted and read what has come to the process. When it stops listening, it resets what it
 * has not accepted, and connections whose requests it has not read. So this is for the moment before it does, and must
 * not be followed by a timer: what comes while the process sleeps would be seen too late.
 *
 * @param nextPoll Resolves when the runtime has looked for connections and bytes once more, without having slept
 */
export async function untilQuiet(nextPoll: () => Promise<unknown>): Promise<void> {
  for (let poll = 0, quiet = 0; quiet < QUIET_POLLS && poll < MOST_POLLS; poll++) {
    const { last } = created;
    await nextPoll();
    quiet = created.last === last ? quiet + 1 : 0;
  }
}

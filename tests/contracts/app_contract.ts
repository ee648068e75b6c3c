/** What an application does, on every runtime: one list of cases, asked of every subject that serves `program.ts`. */
import { answers, conditions, cookies, errors } from "./cases/answers.ts";
import { files } from "./cases/files.ts";
import { limits } from "./cases/limiter.ts";
import { algorithms, decisions } from "./cases/limiter_advanced.ts";
import { bodies, requests } from "./cases/requests.ts";
import { mounting, routing } from "./cases/routing.ts";
import { closing, failing } from "./cases/socket_endings.ts";
import { handshakes } from "./cases/socket_handshakes.ts";
import { messages } from "./cases/socket_messages.ts";
import { topics } from "./cases/socket_topics.ts";
import { streams } from "./cases/streams.ts";
import type { Ask, Case, Chapter, Feature } from "./case.ts";
import { byAborting, byReset } from "./departing.ts";

/** The contract, chapter by chapter. */
export const APP_CONTRACT: readonly Chapter[] = [
  routing,
  mounting,
  requests,
  bodies,
  answers,
  cookies,
  conditions,
  errors,
  streams,
  limits,
  algorithms,
  decisions,
  files,
  handshakes,
  messages,
  closing,
  failing,
  topics,
];

/** A way to run the program. */
export interface Subject {
  /** What it is called in the report. */
  readonly name: string;
  /** What it is without, and why. */
  readonly gaps: Readonly<Partial<Record<Feature, string>>>;
  /** Where it is. */
  readonly origin: string;
  /** Asks it, over a socket where it has one. */
  readonly ask: Ask;
  /** Whether it only notices a client that resets its connection. */
  readonly noticesResets?: boolean;
  /** Ends it. */
  stop(): Promise<void>;
}

/** How one case ended on one subject: passed, not tried because something is missing there, or the error. */
export type Outcome = "passed" | Feature | Error;

/** ms after which a case has failed. */
const LIMIT = 5000;

let flags = 0;

/**
 * Asks one case of one subject.
 *
 * @param one The case
 * @param subject The subject
 * @returns How it ended
 */
export async function outcomeOf(one: Case, subject: Subject): Promise<Outcome> {
  const missing = one.needs.find((feature) => subject.gaps[feature] !== undefined);
  if (missing !== undefined) return missing;
  const { ask, origin } = subject;
  const depart = subject.noticesResets ? byReset(origin) : byAborting(ask);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${LIMIT} ms`)), LIMIT);
  });
  try {
    const lacks = (feature: Feature) => subject.gaps[feature];
    await Promise.race([one.run({ ask, origin, depart, flag: `flag${++flags}`, lacks }), late]);
    return "passed";
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The behavior of an application on every runtime: one list of cases runs against every subject that serves
 * `program.ts`.
 */
import { answers, conditions, cookies, errors } from "./cases/responses.ts";
import { unseen } from "./cases/errors.ts";
import { departedClients } from "./cases/departed_clients.ts";
import { bodilessRequests } from "./cases/bodiless.ts";
import { bodyLimits } from "./cases/body_limits.ts";
import { compressed } from "./cases/compressed.ts";
import { contexts } from "./cases/contexts.ts";
import { documented } from "./cases/documented.ts";
import { events } from "./cases/events.ts";
import { uploads } from "./cases/uploads.ts";
import { files } from "./cases/files.ts";
import { hosts } from "./cases/hosts.ts";
import { limits } from "./cases/limiter.ts";
import { decisions } from "./cases/limiter_responses.ts";
import { limiterClients } from "./cases/limiter_clients.ts";
import { algorithms } from "./cases/limiter_counting.ts";
import { operations } from "./cases/operations.ts";
import { bodies, requests } from "./cases/requests.ts";
import { metrics } from "./cases/metrics.ts";
import { mounting, routing } from "./cases/routing.ts";
import { closing, failing } from "./cases/socket_endings.ts";
import { handshakes } from "./cases/socket_handshakes.ts";
import { socketLimits } from "./cases/socket_limits.ts";
import { messages } from "./cases/socket_messages.ts";
import { origins } from "./cases/socket_origins.ts";
import { topics } from "./cases/socket_topics.ts";
import { sessions } from "./cases/sessions.ts";
import { streams } from "./cases/streams.ts";
import { validated } from "./cases/validated.ts";
import type { Ask, Case, Chapter, Feature } from "./case.ts";
import { byAborting, byReset } from "./disconnecting.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** The `@sluice/openapi` chapters. */
export const OPENAPI_CONTRACT: readonly Chapter[] = [documented, validated];

/** The `@sluice/middleware` chapters. */
export const MIDDLEWARE_CONTRACT: readonly Chapter[] = [
  events,
  uploads,
  compressed,
  sessions,
  operations,
  contexts,
  metrics,
];

/** The contract, chapter by chapter. */
export const APP_CONTRACT: readonly Chapter[] = [
  routing,
  mounting,
  requests,
  hosts,
  bodies,
  bodilessRequests,
  bodyLimits,
  answers,
  cookies,
  conditions,
  errors,
  streams,
  unseen,
  departedClients,
  limits,
  algorithms,
  decisions,
  limiterClients,
  files,
  handshakes,
  messages,
  closing,
  failing,
  topics,
  socketLimits,
  origins,
  ...MIDDLEWARE_CONTRACT,
  ...OPENAPI_CONTRACT,
];

/** A way to run the program. */
export interface Subject {
  /** Subject name in the report. */
  readonly name: string;
  /** The features it lacks, with reasons. */
  readonly gaps: Readonly<Partial<Record<Feature, string>>>;
  readonly origin: string;
  /** Sends it a request, over a socket if it has one. */
  readonly ask: Ask;
  /** Whether it notices a disconnect only if the client resets the connection. */
  readonly noticesResets?: boolean;
  /** Stops it. */
  stop(): Promise<void>;
}

/** Result of one case on a subject. */
export interface Outcome {
  /** Features the case needs and the subject lacks. */
  readonly gaps: readonly Feature[];
  /** Why it failed, `null` if it passed. */
  readonly error: Error | null;
}

/** Time limit, in ms, for a case that is not expected to pass. */
const GAP_LIMIT = 1000;
/**
 * How often all cases for a gap must pass before it counts as closed. Some gaps are races that are occasionally won.
 */
const GAP_TRIES = 20;

/** Aborts the requests that a case left behind. */
class CaseOver extends Error {
  override readonly message = "the case is over";
}

// a case that timed out may have pending requests that it no longer awaits
function isLeftBehind(event: PromiseRejectionEvent): void {
  if (event.reason instanceof CaseOver) event.preventDefault();
}

let flags = 0;

/**
 * Runs all cases against one subject: first those that are expected to pass, one by one, then the cases for its gaps in
 * parallel. If all cases for a gap pass, they run again, up to {@linkcode GAP_TRIES} times.
 *
 * @param contract The contract
 * @param subject The subject
 * @returns Result of each case
 */
export async function outcomesOf(contract: readonly Chapter[], subject: Subject): Promise<Map<Case, Outcome>> {
  // never removed: such rejections may come late
  addEventListener("unhandledrejection", isLeftBehind);
  const outcomes = new Map<Case, Outcome>();
  const cases = contract.flatMap(({ cases }) => cases.map((one) => ({ one, gaps: gapsOf(one, subject) })));
  const ask = async (one: Case, gaps: readonly Feature[]): Promise<void> => {
    const limit = gaps.length === 0 ? PATIENCE_MS : GAP_LIMIT;
    outcomes.set(one, { gaps, error: await errorOf(one, subject, limit) });
  };
  for (const { one, gaps } of cases) if (gaps.length === 0) await ask(one, gaps);
  // last, since trying a feature that a subject lacks may break it
  const flagged = cases.filter(({ gaps }) => gaps.length > 0);
  await Promise.all(flagged.map(({ one, gaps }) => ask(one, gaps)));
  for (const feature of Object.keys(subject.gaps)) {
    const lacking = flagged.filter(({ gaps }) => gaps.some((gap) => gap === feature));
    for (let i = 0; i < GAP_TRIES && !isOpen(feature, outcomes); i++) {
      for (const { one, gaps } of lacking) await ask(one, gaps);
    }
  }
  return outcomes;
}

function gapsOf(one: Case, { gaps }: Pick<Subject, "gaps">): Feature[] {
  return one.needs.filter((feature) => gaps[feature] !== undefined);
}

async function errorOf(one: Case, subject: Subject, limit: number): Promise<Error | null> {
  const over = new AbortController();
  const ask: Ask = (path, init) => {
    const signals = init?.signal ? [init.signal, over.signal] : [over.signal];
    return subject.ask(path, { ...init, signal: AbortSignal.any(signals) });
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${limit} ms`)), limit);
  });
  try {
    const { origin, gaps } = subject;
    const depart = subject.noticesResets ? byReset(origin) : byAborting(ask);
    const lacks = (feature: Feature) => gaps[feature];
    await Promise.race([one.run({ ask, origin, depart, flag: `flag${++flags}`, lacks }), late]);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
    // a case that timed out would keep sending requests
    over.abort(new CaseOver());
  }
}

/**
 * Whether a gap is real: at least one case that needs the feature fails.
 *
 * @param feature The feature that the subject is said to lack
 * @param outcomes Result of each case on the subject
 */
export function isOpen(feature: string, outcomes: ReadonlyMap<Case, Outcome>): boolean {
  return [...outcomes.values()].some(({ gaps, error }) => error !== null && gaps.some((gap) => gap === feature));
}

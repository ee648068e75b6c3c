import { DEFAULT_MESSAGE, type HeaderSink } from "@sluice/limiting";
import type { Decision } from "../limiter/decision.ts";

/** The response to a refused request. */
export interface Refusal {
  readonly status: number;
  /** The body: a string, or a value sent as JSON. */
  readonly body: string | object;
  /** Content type, if it is not the default for the body. */
  readonly type?: string;
}

export interface RefusalOptions {
  /** The status, 429 by default. */
  readonly statusCode: number;
  /** The body; `undefined` for the default. */
  readonly message: string | object | undefined;
  /** Whether the default body is a problem document (RFC 9457). */
  readonly problemDetails: boolean;
}

/** Forbids caching a refusal (RFC 6585, section 4). */
export function forbidStoring(headers: HeaderSink): void {
  headers.setHeader("Cache-Control", "no-store");
}

/**
 * Creates the response to a refused request.
 *
 * @param options The refusal options
 * @param decision The decision
 */
export function refusalOf({ statusCode, problemDetails, message }: RefusalOptions, decision: Decision): Refusal {
  if (message !== undefined && message !== null) return { status: statusCode, body: message };
  if (!problemDetails) return { status: statusCode, body: DEFAULT_MESSAGE };
  return { status: statusCode, body: problemOf(statusCode, decision), type: "application/problem+json" };
}

/** The IETF draft's problem type, with the names of the limits that refused. */
function problemOf(status: number, { policies, verdicts, takes }: Decision): object {
  const violated = policies.filter((_, i) => verdicts[i]!.denied && !takes[i]!.shadow);
  return {
    type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Request cannot be satisfied as assigned quota has been exceeded",
    status,
    "violated-policies": violated.map(({ name }) => name),
  };
}

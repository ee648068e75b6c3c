import { trimBlanks } from "@sluice/shared";

/** One request's part of a trace (W3C Trace Context, level 1). */
export interface TraceContext {
  /** Id of the whole trace: 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** Id of this request within it, for downstream services: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Id of the caller within it; absent if the trace begins here. */
  readonly parentId?: string;
  /** Whether to record it, according to the active span or the caller; `true` if the trace begins here. */
  readonly sampled: boolean;
  /** Vendors' data: `tracestate`. */
  readonly state?: string;
}

/** Version, trace-id, parent-id, trace-flags; future versions may append to them (section 3.2.2). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Maximum number of characters and of members in a `tracestate` (section 3.3). */
const STATE_LENGTH = 512;
const STATE_MEMBERS = 32;

const MEMBER = /^(?:[a-z0-9][a-z0-9_\-*\/]{0,240}(?:@[a-z][a-z0-9_\-*\/]{0,13})?=[ -+\--<>-~]{0,255}[!-+\--<>-~])?$/;

/**
 * Continues a request's trace.
 *
 * @param traceparent The header
 * @param tracestate The header
 * @returns The trace; `undefined` if there is none, or it is invalid
 */
export function continuedTrace(traceparent: string | undefined, tracestate?: string): TraceContext | undefined {
  const parts = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  if (parts === null) return undefined;
  const [, version, traceId = "", parentId = "", flags = "", more] = parts;
  const isWrong = version === "ff" || (version === "00" && more !== undefined);
  if (isWrong || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const state = validState(tracestate);
  return {
    traceId,
    spanId: newSpanId(),
    parentId,
    sampled: (parseInt(flags, 16) & 1) === 1,
    ...state !== undefined && { state },
  };
}

/** Begins a trace. Nothing records it here, but 0 would keep downstream services from recording it. */
export function newTrace(): TraceContext {
  return { traceId: digits(), spanId: newSpanId(), sampled: true };
}

/**
 * Returns the headers that continue a trace.
 *
 * @param trace The trace
 */
export function headersOfTrace({ traceId, spanId, sampled, state }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}

// A UUID has 122 random bits and is never zero. Runtimes pool them, which makes it cheaper than other random bytes.
function digits(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function newSpanId(): string {
  return digits().slice(16);
}

function validState(given: string | undefined): string | undefined {
  if (given === undefined || given.length > STATE_LENGTH) return undefined;
  const members = given.split(",").map(trimBlanks).filter((member) => member !== "");
  const isValid = members.length > 0 && members.length <= STATE_MEMBERS && members.every((one) => MEMBER.test(one));
  return isValid ? members.join(",") : undefined;
}

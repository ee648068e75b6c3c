import { requestOf } from "../client/call.ts";
import { callOf, type Draft, type KnownOperation } from "./draft.ts";

/** A request that was sent, for display and for resending. */
export interface SentRequest {
  /** Its method. */
  readonly method: string;
  /** Its path and query. */
  readonly path: string;
  /** Its relevant headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its body; for a form with files, its fields as JSON. */
  readonly body?: string;
}

/** The host in all requests, visible to applications. */
const ORIGIN = "http://localhost";

/**
 * Serializes a draft as a request.
 *
 * @param known Its operation
 * @param draft The draft
 * @param headers Headers for all requests
 */
export function requestFor(known: KnownOperation, draft: Draft, headers: HeadersInit | undefined): Request {
  return requestOf(ORIGIN, known.method, known.path, callOf(draft), { styles: known.styles }, headers);
}

/**
 * Describes a request.
 *
 * @param request The request, whose body may have been read
 * @param draft The draft behind it
 */
export function sentRequest(request: Request, draft: Draft): SentRequest {
  const { body } = draft;
  const type = request.headers.get("content-type") ?? "";
  const headers = Object.fromEntries(
    [...request.headers].filter(([name]) => name !== "content-type" || !isBoundary(type)),
  );
  const shown = body === undefined ? undefined : "text" in body ? body.text : shownValue(body.type, body.value);
  return {
    method: request.method,
    path: request.url.slice(ORIGIN.length),
    headers,
    ...shown === undefined ? {} : { body: shown },
  };
}

// boundaries differ each time
function isBoundary(type: string): boolean {
  return type.startsWith("multipart/form-data");
}

function shownValue(type: string, value: unknown): string {
  return typeof value === "string" && !type.endsWith("json") ? value : JSON.stringify(value);
}

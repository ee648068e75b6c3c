import { requestOf } from "../client/call.ts";
import { callOf, type Draft, type KnownOperation } from "./draft.ts";

/** A request that was sent, to be read and to be sent again. */
export interface SentRequest {
  /** Its method. */
  readonly method: string;
  /** Its path and query. */
  readonly path: string;
  /** Its headers, those that say something. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its body; that of a form with files is its fields, as JSON. */
  readonly body?: string;
}

/** The host of all requests, which applications may see. */
const ORIGIN = "http://localhost";

/**
 * Writes a draft as a request.
 *
 * @param known Its operation
 * @param draft The draft
 * @param headers Headers of all requests
 */
export function requestFor(known: KnownOperation, draft: Draft, headers: HeadersInit | undefined): Request {
  return requestOf(ORIGIN, known.method, known.path, callOf(draft), { styles: known.styles }, headers);
}

/**
 * Describes a request.
 *
 * @param request The request, which may have been read
 * @param draft What it was made of
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

// another one each time
function isBoundary(type: string): boolean {
  return type.startsWith("multipart/form-data");
}

function shownValue(type: string, value: unknown): string {
  return typeof value === "string" && !type.endsWith("json") ? value : JSON.stringify(value);
}

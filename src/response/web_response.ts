import type { OutgoingHeaders } from "./outgoing_headers.ts";

/** Bodies a web response takes, `null` for none. */
export type WebBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null;

// one shared init per content type: a header list of its own for each response costs a microsecond on Deno
const typeInits = new Map<string, ResponseInit>();
const MAX_TYPE_INITS = 128;

/**
 * Makes the web response.
 *
 * A lone content type goes in at construction, everything else is set afterwards: that is the cheaper way round on
 * every runtime measured (docs/performance.md).
 *
 * @param status Status, 200 to 599
 * @param statusText Reason phrase, empty for none
 * @param headers The headers
 * @param body The body; its length is the runtime's business
 * @returns The response
 * @throws {RangeError} If a web response cannot carry the status
 */
export function webResponse(status: number, statusText: string, headers: OutgoingHeaders, body: WebBody): Response {
  if (status < 200 || status > 599) {
    throw new RangeError(
      `A web response carries a status from 200 to 599, not ${status}; set another with res.status()`,
    );
  }
  const type = headers.contentType;
  const response = status === 200 && statusText === ""
    ? (type === undefined ? new Response(untyped(body)) : new Response(body, typeInit(type)))
    : new Response(type === undefined ? untyped(body) : body, init(status, statusText, type));
  // looking at the headers of a response alone makes the platform build the list
  if (!headers.bare) headers.copyTo(response.headers);
  return response;
}

// a string or a typed Blob would bring a content type of its own, which Express does not send
function untyped(body: WebBody): WebBody {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Blob && body.type !== "") return body.slice(0, body.size, "");
  return body;
}

function typeInit(type: string): ResponseInit {
  const known = typeInits.get(type);
  if (known !== undefined) return known;
  const made = { headers: { "content-type": type } };
  if (typeInits.size < MAX_TYPE_INITS) typeInits.set(type, made);
  return made;
}

function init(status: number, statusText: string, type: string | undefined): ResponseInit {
  const made: ResponseInit = { status };
  if (statusText !== "") made.statusText = statusText;
  if (type !== undefined) made.headers = { "content-type": type };
  return made;
}

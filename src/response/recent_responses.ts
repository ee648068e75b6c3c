import { ownText } from "../http/own_text.ts";
import type { AppLike } from "../request/app_like.ts";
import type { ResponsePrototype } from "../request/runtime_support.ts";
import { headerText, OutgoingHeaders } from "./outgoing_headers.ts";

/** Makes a web response of a text. */
type Make = (status: number, reason: string, headers: OutgoingHeaders, body: string, app: AppLike) => Response;

/** Makes one of the status 200, with a content type alone. */
type MakeTyped = (body: string, type: string) => Response;

/** A response, and what it was made of. */
interface Recent {
  readonly status: number;
  readonly reason: string;
  readonly body: string;
  /** Its headers, as of {@linkcode OutgoingHeaders.toList}. */
  readonly lines: readonly string[];
  /** Its content type, if it has the status 200 and no other header; otherwise empty. */
  readonly plainType: string;
  /** Never sent itself, so that it can be copied again and again. */
  readonly response: Response;
  /** How often it was copied. */
  copies: number;
  /** What is sent instead of copies, if that is possible, once it was copied often enough. */
  prototype: ResponsePrototype | null;
}

/** Slots for responses, a power of two. */
const PLACES = 128;

/** Longer bodies are not kept: making their response takes little of the time, and they take memory. */
const LONGEST = 512;

/**
 * One in so many unknown responses is kept: frequent ones get in soon, others seldom. A prime, so that responses that are
 * sent in turn do not always meet the same place in the count.
 */
const ADMITTED = 257;

/** Copies before a prototype is made, which takes as long as some of them, and makes all responses a little slower. */
const MANY = 64;

const places: (Recent | undefined)[] = new Array(PLACES).fill(undefined);
let missed = 0;

/**
 * A web response of a text, copied from a recent one if that was made of the same: what an application sends again and
 * again, such as constants, refusals and error pages. See decision 17.
 *
 * @param status Status
 * @param reason Reason phrase, empty for the usual one
 * @param headers The headers, with a content type
 * @param body The body
 * @param app The application, which knows the runtime
 * @param make Makes the response if there is nothing to copy
 * @returns The response
 * @throws What `make` throws
 */
export function repeated(
  status: number,
  reason: string,
  headers: OutgoingHeaders,
  body: string,
  app: AppLike,
  make: Make,
): Response {
  if (body.length > LONGEST) return make(status, reason, headers, body, app);
  // no character is looked at, because that would join a text that is still in parts
  const place = (body.length + status) & (PLACES - 1);
  const recent = places[place];
  if (
    recent !== undefined && recent.body === body && recent.status === status && recent.reason === reason &&
    headers.consistOf(recent.lines)
  ) return again(recent, app);
  if (++missed % ADMITTED !== 0) return make(status, reason, headers, body, app);
  const text = ownText(body);
  const lines = headers.toList().map(ownText);
  // what is meant for one client is not kept, and headers with several values cannot be compared
  if (isPrivate(headers) || !headers.consistOf(lines)) return make(status, reason, headers, body, app);
  return keep(place, status, reason, text, lines, make(status, reason, OutgoingHeaders.of(lines), text, app));
}

/**
 * The same for a text with status 200 and no header but its content type, which needs less of a comparison.
 *
 * @param body The body
 * @param type The content type
 * @param app The application, which knows the runtime
 * @param make Makes the response if there is nothing to copy
 * @returns The response
 */
export function repeatedText(body: string, type: string, app: AppLike, make: MakeTyped): Response {
  const place = (body.length + 200) & (PLACES - 1);
  const recent = places[place];
  if (recent !== undefined && recent.plainType === type && recent.body === body) return again(recent, app);
  if (body.length > LONGEST || ++missed % ADMITTED !== 0) return make(body, type);
  const text = ownText(body);
  return keep(place, 200, "", text, ["content-type", type], make(text, type));
}

function keep(
  place: number,
  status: number,
  reason: string,
  body: string,
  lines: readonly string[],
  response: Response,
): Response {
  const plainType = status === 200 && reason === "" && lines.length === 2 ? lines[1]! : "";
  places[place] = { status, reason, body, lines, plainType, response: response.clone(), copies: 0, prototype: null };
  return response;
}

function again(recent: Recent, app: AppLike): Response {
  return recent.prototype?.heir() ?? copied(recent, app);
}

function copied(recent: Recent, { runtimeSupport }: AppLike): Response {
  const { body, plainType, prototype } = recent;
  if (prototype !== null) {
    // its body has been used
    recent.prototype = null;
    recent.copies = 0;
  } else if (plainType !== "" && ++recent.copies === MANY) {
    recent.prototype = runtimeSupport.prototypeOf?.(body, plainType) ?? null;
  }
  return recent.response.clone();
}

function isPrivate(headers: OutgoingHeaders): boolean {
  return headers.has("set-cookie") || /no-store/i.test(headerText(headers.get("cache-control")));
}

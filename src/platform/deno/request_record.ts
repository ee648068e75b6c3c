import type { ClientWatch } from "../../exchange/runtime_support.ts";

/** Deno's internal record of a request, behind the web's `Request`; not a public API. */
interface RequestRecord {
  /** Reads a header, without making `Headers`, and without marking the headers as touched. */
  header(name: string): string | null;
  /** All headers as received; each access makes a new list. */
  readonly headerList: [name: string, value: string][];
  /** The body; if all of it has arrived, its bytes or text are in it. */
  readonly body?: { readonly streamOrStatic?: { readonly body?: Uint8Array | string } } | null;
  /** Consumes the body as text, if all of it has arrived and nobody has touched it; keeps a byte order mark. */
  consumeTextBody?(): unknown;
  /** Calls a function when the client is gone, or at the latest when the response has been sent. */
  onCancel?(callback: () => void): void;
}

const BYTE_ORDER_MARK = "\ufeff";

/** The property of a `Request` that holds its record; `undefined` until first found. */
let property: symbol | undefined;

/** Whether records agree with their requests; `undefined` until one could be compared. */
let trusted: boolean | undefined;

/** The version of Deno that all tests run with. */
export const TESTED_VERSION = "2.9.6";

/**
 * Trusts records from the start if the tests have run with this version of Deno. Comparing takes a twentieth of the
 * first request, whose headers are touched for it.
 *
 * @param version The version of Deno
 */
export function trustRecordsOf(version: string): void {
  if (version === TESTED_VERSION) trusted = true;
}

/** Whether header lists agree with them, too. */
let listTrusted: boolean | undefined;

/** Headers used to compare a record with its request; most requests have the first. */
const COMMON = ["host", "user-agent", "accept"];

/**
 * Reads a request header, from Deno's own record of the request if possible. Touching `request.headers` costs a sixth
 * of a bare request, because its response then goes through two promises, and all headers are copied.
 *
 * The record is found as of Deno 2.9, and used only if it agrees with the first request, or in the version that the
 * tests run with. See decision 14.
 *
 * @param request The request
 * @param name Header name, in any case
 * @returns The value, `null` when the header is absent
 * @throws {TypeError} If Deno has released the headers with the response
 */
export function readHeader(request: Request, name: string): string | null {
  const record = recordOf(request);
  if (record === null) return request.headers.get(name);
  try {
    return record.header(name);
  } catch {
    // after the response; Deno has copied the headers if somebody had touched them
    return request.headers.get(name);
  }
}

/**
 * Reads the `Host` header of a request from Deno's server, which puts the header in front of the target unseen.
 *
 * @param request The request
 * @returns The header; `null` for a request that the program made itself, whose URL was parsed
 */
export function joinedHost(request: Request): string | null {
  const record = recordOf(request);
  if (record !== null) return record.header("host");
  // where records are not to be relied on, the headers are; those of the program's own requests are not needed
  return trusted === false || property === undefined ? request.headers.get("host") : null;
}

/**
 * Visits all headers of a request, with names as the client sent them.
 *
 * @param request The request
 * @param visitor Called with value and name of each
 * @throws {TypeError} If Deno has released the headers with the response
 */
export function visitHeaders(request: Request, visitor: (value: string, name: string) => void): void {
  const list = listOf(request);
  if (list === null) return request.headers.forEach(visitor);
  for (const [name, value] of list) visitor(value, name);
}

function listOf(request: Request): RequestRecord["headerList"] | null {
  const record = recordOf(request);
  if (record === null || listTrusted === false) return null;
  try {
    const list = record.headerList;
    listTrusted ??= Array.isArray(list) && list.every(([name, value]) => record.header(name)?.includes(value));
    return listTrusted ? list : null;
  } catch {
    // after the response
    return null;
  }
}

/**
 * Copies the headers of a request, so that they can be read after its response. Deno does so itself with headers that
 * somebody has touched, but not over HTTP/2.
 *
 * @param request The request; nothing happens if it has been released already
 */
export function keepHeaders({ headers }: Request): void {
  try {
    headers.has("host");
  } catch {
    // somebody else has responded, such as a server that is closing
  }
}

/**
 * Reads the body of a request as text if it has arrived together with the headers, so that nobody has to wait.
 *
 * @param request The request
 * @returns The text, decoded as by `request.text()`; `null` if the body has to be read through the public API
 */
export function arrivedText(request: Request): string | null {
  const text = recordOf(request)?.consumeTextBody?.();
  if (typeof text !== "string") return null;
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * Reports whether a request whose headers announce no body has one, as it may over HTTP/2. Deno delivers a stream in any
 * case; if the client sent nothing, that stream stands for zero bytes, all of which have arrived.
 *
 * @param request The request
 */
export function hasUnannouncedBody(request: Request): boolean {
  const record = recordOf(request);
  if (record === null) return request.body !== null;
  try {
    const arrived = record.body?.streamOrStatic?.body;
    // once somebody has looked at the stream, only HTTP/1.1 is certain, which needs a header for each body
    return arrived === undefined ? record.header("host") === null : arrived.length > 0;
  } catch {
    // the response has been sent, and Deno has closed the record with it
    return false;
  }
}

/**
 * Tells whether a request comes from Deno's server.
 *
 * @param request The request
 */
export function isServed(request: Request): boolean {
  return recordOf(request) !== null;
}

/**
 * Notices that the client of a request leaves. This costs a tenth of what the request's signal does: Deno makes and
 * dispatches an event for each signal that was read, after every response.
 *
 * @param request The request
 * @param watch Notified when the client is gone, or when the response has been sent
 * @returns Whether it will; otherwise there is only the signal
 */
export function onLeave(request: Request, watch: ClientWatch): boolean {
  const record = recordOf(request);
  if (typeof record?.onCancel !== "function") return false;
  record.onCancel(() => watch.hear());
  return true;
}

function recordOf(request: Request): RequestRecord | null {
  property ??= Object.getOwnPropertySymbols(request).find(({ description }) => description === "request");
  if (property === undefined || trusted === false) return null;
  const record = (request as unknown as Record<symbol, Partial<RequestRecord> | undefined>)[property];
  // records of requests made by the program have no `header`
  if (typeof record?.header !== "function") return null;
  trusted ??= agrees(record as RequestRecord, request.headers);
  return trusted ? record as RequestRecord : null;
}

// Short, because the first client waits for it. A request that has been answered decides nothing: its record throws.
function agrees(record: RequestRecord, headers: Headers): boolean | undefined {
  const name = COMMON.find((name) => headers.get(name) !== null);
  if (name === undefined) return undefined;
  try {
    return record.header(name) === headers.get(name);
  } catch {
    return undefined;
  }
}

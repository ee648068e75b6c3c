import type { ClientWatch } from "../../exchange/runtime_support.ts";

/** Deno's internal record of a request, behind the web's `Request`; not a public API. */
interface RequestRecord {
  /** Reads a header without creating `Headers` and without marking the headers as touched. */
  header(name: string): string | null;
  /** All received headers; every access creates a new list. */
  readonly headerList: [name: string, value: string][];
  /** The body; if it has arrived completely, it contains its bytes or string. */
  readonly body?: { readonly streamOrStatic?: { readonly body?: Uint8Array | string } } | null;
  /** Consumes the body as a string if it has arrived completely and is untouched; keeps a byte order mark. */
  consumeTextBody?(): unknown;
  /** Calls a function when the client disconnects, or at the latest once the response has been sent. */
  onCancel?(callback: () => void): void;
}

const BYTE_ORDER_MARK = "\ufeff";

/** The property on a `Request` that holds its record; `undefined` until first found. */
let property: symbol | undefined;

/** Whether records agree with their requests; `undefined` until one has been compared. */
let trusted: boolean | undefined;

/** The Deno version that all tests run with. */
export const TESTED_VERSION = "2.9.6";

/**
 * Trusts records from the start if the tests have run with this Deno version. Comparing takes a twentieth of the
 * first request and touches its headers.
 *
 * @param version The Deno version
 */
export function trustRecordsOf(version: string): void {
  if (version === TESTED_VERSION) trusted = true;
}

/** Whether header lists also agree with their requests. */
let listTrusted: boolean | undefined;

/** Headers used to compare a record with its request; most requests have the first one. */
const COMMON = ["host", "user-agent", "accept"];

/**
 * Reads a request header, if possible from Deno's own record of the request. Touching `request.headers` accounts for a
 * sixth of the time per bare request: its response then passes through two promises, and all headers are copied.
 *
 * Deno 2.9 or later has the record. It is used only if it agrees with the first request, or in the version that the
 * tests run with. See decision 14.
 *
 * @param request The request
 * @param name Header name, case-insensitive
 * @returns The value, `null` if the header is absent
 * @throws {TypeError} If Deno has released the headers with the response
 */
export function readHeader(request: Request, name: string): string | null {
  const record = recordOf(request);
  if (record === null) return request.headers.get(name);
  try {
    return record.header(name);
  } catch {
    // after the response; Deno has copied the headers if they had been touched
    return request.headers.get(name);
  }
}

/**
 * Reads the `Host` header of a request from Deno's server, which prepends it to the target unchecked.
 *
 * @param request The request
 * @returns The header; `null` for a request that the program created itself, whose URL was parsed
 */
export function joinedHost(request: Request): string | null {
  const record = recordOf(request);
  if (record !== null) return record.header("host");
  // if records cannot be trusted, the headers are read; the program's own requests do not need them
  return trusted === false || property === undefined ? request.headers.get("host") : null;
}

/**
 * Visits all request headers, with names as the client sent them.
 *
 * @param request The request
 * @param visitor Called with each header's value and name
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
 * Copies a request's headers, so they can be read after its response. Deno does this itself for headers that have
 * been touched, but not over HTTP/2.
 *
 * @param request The request; does nothing if it has already been released
 */
export function keepHeaders({ headers }: Request): void {
  try {
    headers.has("host");
  } catch {
    // other code has responded, such as a closing server
  }
}

/**
 * Reads a request body as a string without waiting if it arrived together with the headers.
 *
 * @param request The request
 * @returns The string, decoded as by `request.text()`; `null` if the body must be read through the public API
 */
export function arrivedText(request: Request): string | null {
  const text = recordOf(request)?.consumeTextBody?.();
  if (typeof text !== "string") return null;
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * Reports whether a request whose headers announce no body has one, which is possible over HTTP/2. Deno always delivers
 * a stream; if the client sent nothing, the stream represents zero bytes that have all arrived.
 *
 * @param request The request
 */
export function hasUnannouncedBody(request: Request): boolean {
  const record = recordOf(request);
  if (record === null) return request.body !== null;
  try {
    const arrived = record.body?.streamOrStatic?.body;
    // once the stream has been accessed, only HTTP/1.1 is certain, because it needs a header for each body
    return arrived === undefined ? record.header("host") === null : arrived.length > 0;
  } catch {
    // the response has been sent, and Deno has closed the record with it
    return false;
  }
}

/**
 * Returns whether a request comes from Deno's server.
 *
 * @param request The request
 */
export function isServed(request: Request): boolean {
  return recordOf(request) !== null;
}

/**
 * Detects when a request's client disconnects. This takes a tenth of the time that the request's signal takes: after
 * every response, Deno creates and dispatches an event for each signal that was read.
 *
 * @param request The request
 * @param watch Notified when the client disconnects, or once the response has been sent
 * @returns Whether it will be notified; otherwise there is only the signal
 */
export function onAbort(request: Request, watch: ClientWatch): boolean {
  const record = recordOf(request);
  if (typeof record?.onCancel !== "function" || hasSignal(request)) return false;
  const signal = new LateSignal();
  record.onCancel(() => {
    signal.abort();
    watch.hear();
  });
  // Deno's own signal would replace the callback, and its server would wait forever for the callback when it shuts down
  Object.defineProperty(request, "signal", { get: () => signal.get(), configurable: true });
  return true;
}

// a signal that has been read is the record's only callback
function hasSignal(request: Request): boolean {
  const cache = Object.getOwnPropertySymbols(request).find(({ description }) => description === "signalCache");
  const isRead = cache !== undefined && (request as unknown as Record<symbol, unknown>)[cache] !== undefined;
  return isRead || Object.hasOwn(request, "signal");
}

/** The signal of a watched request, created when it is read. */
class LateSignal {
  #controller: AbortController | null = null;
  #isAborted = false;

  get(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}

function recordOf(request: Request): RequestRecord | null {
  property ??= Object.getOwnPropertySymbols(request).find(({ description }) => description === "request");
  if (property === undefined || trusted === false) return null;
  const record = (request as unknown as Record<symbol, Partial<RequestRecord> | undefined>)[property];
  // records for requests that the program created have no `header`
  if (typeof record?.header !== "function") return null;
  trusted ??= agrees(record as RequestRecord, request.headers);
  return trusted ? record as RequestRecord : null;
}

// Short, because the first client waits for it. A completed request is inconclusive: its record throws.
function agrees(record: RequestRecord, headers: Headers): boolean | undefined {
  const name = COMMON.find((name) => headers.get(name) !== null);
  if (name === undefined) return undefined;
  try {
    return record.header(name) === headers.get(name);
  } catch {
    return undefined;
  }
}

/** What Deno's server knows of a request, behind the web's face of it; none of it is published. */
interface RequestRecord {
  /** Reads a header, without making `Headers` and without marking the request as one whose headers were looked at. */
  header(name: string): string | null;
  /** All headers as they came; each look makes the list anew. */
  readonly headerList: [name: string, value: string][];
  /** Takes the body as text, where all of it has come and nobody has looked at it; a byte order mark stays in front. */
  consumeTextBody?(): unknown;
}

const BYTE_ORDER_MARK = "\ufeff";

/** The property of a `Request` that holds its record; `undefined` before the first look. */
let property: symbol | undefined;

/** Whether records say what requests say; `undefined` before the first that could be compared. */
let trusted: boolean | undefined;

/** Whether their lists do. */
let listTrusted: boolean | undefined;

/** Headers by which a record is compared with its request; most have the first. */
const COMMON = ["host", "user-agent", "accept"];

/**
 * Reads a request header. Where Deno's own record of the request can be had it is asked: to touch `request.headers`
 * costs a sixth of a bare request, for its answer then goes through two promises, and all headers are copied.
 *
 * The record is found as it is in Deno 2.9, and left alone unless what it says of the first request is what the request
 * itself says. Decision 14 tells more.
 *
 * @param request The request
 * @param name Header name, in any case
 * @returns The value, `null` when the header is absent
 * @throws {TypeError} If Deno has taken the headers back with the answer
 */
export function readHeader(request: Request, name: string): string | null {
  const record = recordOf(request);
  if (record === null) return request.headers.get(name);
  try {
    return record.header(name);
  } catch {
    // the answer is out, and Deno has copied the headers if somebody had touched them
    return request.headers.get(name);
  }
}

/**
 * Shows all headers of a request, with the names that the client wrote.
 *
 * @param request The request
 * @param visitor Gets value and name of each
 * @throws {TypeError} If Deno has taken the headers back with the answer
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
    // the answer is out
    return null;
  }
}

/**
 * Takes the body of a request as text where it has arrived with its head, so that nobody has to wait for it.
 *
 * @param request The request
 * @returns The text, decoded as `request.text()` does; `null` where the body has to be read in the published way
 */
export function arrivedText(request: Request): string | null {
  const text = recordOf(request)?.consumeTextBody?.();
  if (typeof text !== "string") return null;
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * Tells whether a request is one of Deno's server.
 *
 * @param request The request
 */
export function isServed(request: Request): boolean {
  return recordOf(request) !== null;
}

function recordOf(request: Request): RequestRecord | null {
  property ??= Object.getOwnPropertySymbols(request).find(({ description }) => description === "request");
  if (property === undefined || trusted === false) return null;
  const record = (request as unknown as Record<symbol, Partial<RequestRecord> | undefined>)[property];
  // those of requests that the program has made have no server behind them
  if (typeof record?.header !== "function") return null;
  trusted ??= agrees(record as RequestRecord, request.headers);
  return trusted ? record as RequestRecord : null;
}

// The first client waits for this, so it is little. A request whose answer is out decides nothing, for its record fails.
function agrees(record: RequestRecord, headers: Headers): boolean | undefined {
  const name = COMMON.find((name) => headers.get(name) !== null);
  if (name === undefined) return undefined;
  try {
    return record.header(name) === headers.get(name);
  } catch {
    return undefined;
  }
}

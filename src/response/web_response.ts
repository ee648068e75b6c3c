import { utf8Bytes } from "../http/encodings.ts";
import type { AppFace } from "../request/app_face.ts";
import type { Exchange, WebBody } from "../request/exchange.ts";
import { JSON_PLAIN } from "./content_type.ts";
import type { OutgoingHeaders } from "./outgoing_headers.ts";

// the only type Deno takes at construction without looking at it closely; shared, for a literal would be made each time
const JSON_INIT: ResponseInit = { headers: { "content-type": JSON_PLAIN } };

let known: typeof Response | undefined;

/**
 * The runtime's class. Deno's global is a getter, and reading it costs more than a middleware; but it is read no earlier
 * than needed, for that loads the class.
 */
export function responseClass(): typeof Response {
  return known ??= rootOf(Response);
}

// on Workers, responses and requests have a class in common
function rootOf(made: typeof Response): typeof Response {
  const parent = Object.getPrototypeOf(made.prototype) as Response;
  return Object.hasOwn(parent, "status") ? rootOf(parent.constructor as typeof Response) : made;
}

/**
 * Tells a web response from anything else, also where a package has put a class of its own in place of the global one,
 * as `@hono/node-server` does: its responses inherit from the runtime's, but the runtime's are none of its own.
 *
 * @param value The value
 */
export function isResponse(value: unknown): value is Response {
  // most handlers return nothing, and looking at a class of the web takes time on Deno
  if (typeof value !== "object") return false;
  return value instanceof responseClass() || value instanceof Response;
}

/**
 * Makes the web response.
 *
 * Headers are set on the finished response: that is the cheaper way round on every runtime measured
 * (docs/performance.md).
 *
 * @param status Status, 200 to 599
 * @param statusText Reason phrase, empty for none
 * @param headers The headers
 * @param body The body; its length is the runtime's business
 * @param exchange The exchange that is answered, for how its response is made and what the runtime makes of bytes
 * @returns The response
 * @throws {RangeError} If a web response cannot carry the status
 */
export function webResponse(
  status: number,
  statusText: string,
  headers: OutgoingHeaders,
  body: WebBody,
  exchange: Exchange,
): Response {
  if (!(status >= 200 && status <= 599)) {
    throw new RangeError(
      `A web response carries a status from 200 to 599, not ${status}; set another with res.status()`,
    );
  }
  const type = headers.contentType;
  const { coded } = headers;
  const { respond } = exchange;
  if (respond !== null) {
    return respond(type === undefined ? untyped(body, exchange.app) : body, status, statusText, headers.toList());
  }
  const WebResponse = responseClass();
  if (status === 200 && statusText === "" && type !== undefined && !coded) {
    const isTyped = type === JSON_PLAIN;
    const response = isTyped ? new WebResponse(body, JSON_INIT) : new WebResponse(body);
    // looking at the headers of a response alone makes the platform build the list
    if (isTyped && headers.bare) return response;
    const sent = response.headers;
    if (!isTyped) sent.set("content-type", type);
    headers.copyTo(sent);
    return response;
  }
  const response = status === 200 && statusText === "" && !coded
    ? new WebResponse(untyped(body, exchange.app))
    : new WebResponse(type === undefined ? untyped(body, exchange.app) : body, init(status, statusText, type, coded));
  if (!headers.bare) headers.copyTo(response.headers);
  return response;
}

/**
 * Copies a web response, whose headers may be fixed, or go to several clients.
 *
 * @param response The response; its body goes to the copy
 * @param app The application, for what the runtime makes of bytes
 * @returns The copy
 */
export function copyOf(response: Response, app: AppFace): Response {
  if (!app.runtimeFace.typesBytes || response.headers.has("content-type")) return new Response(response.body, response);
  // Bun takes the body itself for bytes, whatever it was made of, and knows better of a clone
  const clone = response.clone();
  response.body?.cancel().catch(() => {});
  return clone;
}

// a string or a typed Blob would bring a content type of its own, which Express does not send
function untyped(body: WebBody, app: AppFace): WebBody {
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? utf8Bytes(body) : body;
    return app.runtimeFace.typesBytes ? streamOf(bytes) : bytes;
  }
  if (body instanceof Blob && body.type !== "") return body.slice(0, body.size, "");
  return body;
}

// Bun gives a stream no type, and tells its length if all of it comes before as much as it may keep
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  }, { highWaterMark: bytes.byteLength + 1 });
}

function init(status: number, statusText: string, type: string | undefined, coded: boolean): ResponseInit {
  const made: ResponseInit & { encodeBody?: "manual" } = { status };
  // Workers would put the body into the coding that Content-Encoding names once more; no other runtime knows of this
  if (coded) made.encodeBody = "manual";
  if (statusText !== "") made.statusText = statusText;
  if (type !== undefined) made.headers = { "content-type": type };
  return made;
}

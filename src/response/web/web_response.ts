import { coded } from "../../util/coded_error.ts";
import { utf8Bytes } from "../../util/encodings.ts";
import { ownResponseClass, responseClass } from "../../exchange/response_class.ts";
import type { AppLike } from "../../exchange/app_like.ts";
import { profileKey } from "../../exchange/app_profile.ts";
import type { Exchange, WebBody } from "../../exchange/exchange.ts";
import { JSON_PLAIN } from "./content_type.ts";
import type { OutgoingHeaders } from "./outgoing_headers.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

// Deno's constructor has a fast path for this type alone, which saves a twentieth of a small response.
const JSON_INIT: ResponseInit = { headers: { "content-type": JSON_PLAIN } };

/**
 * Creates the web response.
 *
 * Headers are set after creation, which is cheaper on all measured runtimes.
 *
 * @param status Status, 200 to 599
 * @param statusText Reason phrase; empty if there is none
 * @param headers The headers
 * @param body The body; the runtime adds its length
 * @param exchange The exchange; it has the runtime
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
  const { respond, app } = exchange;
  // Express lets Node send any status it can
  const isSendable = status >= 200 && status <= 599 ||
    respond !== null && app[profileKey] !== null && status >= 100 && status <= 999;
  if (!isSendable) {
    throw coded(
      "ERR_HTTP_INVALID_STATUS_CODE",
      new RangeError(
        `A web response carries a status from 200 to 599, not ${String(status)}; set another with res.status()`,
      ),
    );
  }
  const type = headers.contentType;
  if (respond !== null) {
    return respond(type === undefined ? untyped(body, app) : body, status, statusText, headers.toList());
  }
  const response = newResponse(status, statusText, type, headers.coded, body, app);
  // merely reading a response's headers makes the platform build the list
  if (!headers.bare) headers.copyTo(response.headers);
  return response;
}

/**
 * Creates the web response for a string, the most common body.
 *
 * @param exchange The exchange; it has the runtime
 * @param status Status that allows a body
 * @param type Content type
 * @param tag Entity tag, or `undefined` if there is none
 * @param others Additional headers besides these two, or `null` if there are none
 * @param body The string
 * @returns The response
 * @throws {TypeError} If it cannot carry a header
 */
export function textResponse(
  { app, respond }: Exchange,
  status: number,
  type: string,
  tag: string | undefined,
  others: OutgoingHeaders | null,
  body: string,
): Response {
  if (respond !== null) {
    const head = tag === undefined ? ["content-type", type] : ["content-type", type, "etag", tag];
    return respond(body, status, "", others === null ? head : head.concat(others.toList()));
  }
  const response = newResponse(status, "", type, false, body, app);
  if (tag === undefined && others === null) return response;
  const { headers } = response;
  if (tag !== undefined) headers.set("etag", tag);
  others?.copyTo(headers);
  return response;
}

function newResponse(
  status: number,
  statusText: string,
  type: string | undefined,
  coded: boolean | Response,
  body: WebBody,
  app: AppLike,
): Response {
  const WebResponse = ownResponseClass ?? responseClass();
  const given = type === undefined ? untyped(body, app) : body;
  if (status !== 200 || statusText !== "" || coded) {
    return new WebResponse(given, init(status, statusText, type, coded));
  }
  if (type === JSON_PLAIN) return new WebResponse(given, JSON_INIT);
  const response = new WebResponse(given);
  if (type !== undefined) response.headers.set("content-type", type);
  return response;
}

/**
 * Copies a web response: its headers may be immutable, and several clients may get it.
 *
 * @param response The response; its body moves to the copy
 * @param app The application; it has the runtime
 * @returns The copy
 */
export function copyOf(response: Response, app: AppLike): Response {
  if (!app[runtimeKey].typesBytes || response.headers.has("content-type")) {
    return new Response(response.body, response);
  }
  // Bun would add a content type to a passed-on body, but not to a clone's
  const clone = response.clone();
  response.body?.cancel().catch(() => {});
  return clone;
}

/** Content codings that `fetch` decodes on Node and Bun. */
const UNDONE = /^[ \t]*(?:x-)?(?:gzip|deflate|br)[ \t]*$/i;

/**
 * Removes the headers that describe the compressed body of a different server's response if `fetch` has decompressed
 * it.
 *
 * @param response A response that a handler returned; only one from `fetch` has a URL
 * @returns The same response, or a copy without `Content-Encoding` and `Content-Length`
 */
export function asFetched(response: Response): Response {
  if (response.url === "" || response.body === null) return response;
  const coding = response.headers.get("content-encoding");
  if (coding === null || !coding.split(",").every((name) => UNDONE.test(name))) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

// strings and typed Blobs have a content type, which Express would not send
function untyped(body: WebBody, app: AppLike): WebBody {
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? utf8Bytes(body) : body;
    return app[runtimeKey].typesBytes ? streamOf(bytes) : bytes;
  }
  if (body instanceof Blob && body.type !== "") return body.slice(0, body.size, "");
  return body;
}

// Bun adds no type to a stream, and sends its length if the whole stream fits into the queue
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  }, { highWaterMark: bytes.byteLength + 1 });
}

function init(status: number, statusText: string, type: string | undefined, coded: boolean | Response): ResponseInit {
  if (typeof coded === "object" && coded.status === status) {
    // on Workers a copy encodes its body if the original does, and this cannot be read from the original
    const copy = new Response(null, coded);
    for (const [name] of [...copy.headers]) copy.headers.delete(name);
    if (type) copy.headers.set("content-type", type);
    return copy;
  }
  const made: ResponseInit & { encodeBody?: "manual" } = { status };
  // otherwise Workers would encode the body again according to Content-Encoding; other runtimes ignore this option
  if (coded === true) made.encodeBody = "manual";
  if (statusText !== "") made.statusText = statusText;
  if (type !== undefined) made.headers = { "content-type": type };
  return made;
}

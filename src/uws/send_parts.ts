import { NodeResponse, RawResponse } from "../node/node_response.ts";
import type { WebBody } from "../exchange/exchange.ts";
import { Head } from "./head.ts";
import type { UwsCall } from "./uws_call.ts";
import { ResponseOutlet } from "./response_outlet.ts";

/** Maximum length of a whole body that the engine may copy for a slow client. */
const COPIED = 64 * 1024;

/**
 * Sends a response.
 *
 * @param call The request
 * @param response The response
 */
export function send(call: UwsCall, response: Response): void {
  const parts = NodeResponse.partsOf(response);
  if (parts !== null) return sendParts(call, response, parts);
  const { status, statusText, headers } = response;
  sendParts(call, response, new RawResponse(response.body as WebBody, status, statusText, [...headers].flat()));
}

function sendParts(call: UwsCall, response: Response, parts: RawResponse): void {
  const { body, status } = parts;
  const head = new Head(parts, call.isLast);
  if (call.standIn.method === "HEAD" || status === 204 || status === 304) {
    if (body instanceof ReadableStream) void body.cancel().catch(() => {});
    return sendHead(call, head);
  }
  if (body instanceof Blob) return stream(call, head, body.stream(), body.size);
  if (!(body instanceof ReadableStream)) return sendWhole(call, head, body ?? "");
  stream(call, head, body, head.length);
  if (NodeResponse.partsOf(response) !== null) NodeResponse.release(response, parts);
}

// A length is an ordinary header here, because the engine would wait for the announced bytes. Without a length of 0, it
// does not close such a connection; the client does.
function sendHead(call: UwsCall, head: Head): void {
  call.cork((res) => {
    head.write(res);
    if (head.length !== undefined) res.writeHeader("content-length", String(head.length));
    if (head.isLast) res.writeHeader("connection", "close");
    call.unpause();
    res.endWithoutBody();
  });
  call.complete();
}

function sendWhole(call: UwsCall, head: Head, body: string | Uint8Array): void {
  if (body.length > COPIED && !head.isLast) {
    return sendLarge(call, head, typeof body === "string" ? Buffer.from(body) : body);
  }
  call.cork((res) => {
    head.write(res);
    call.unpause();
    res.end(body, head.isLast);
  });
  call.complete();
}

// keeps no copy of data that the client has not read yet
function sendLarge(call: UwsCall, head: Head, bytes: Uint8Array): void {
  call.await();
  call.cork((res) => {
    head.write(res);
    call.unpause();
    if (res.tryEnd(bytes, bytes.byteLength)[1]) return call.complete();
    res.onWritable((offset) => {
      const [isTaken, isDone] = res.tryEnd(bytes.subarray(offset), bytes.byteLength);
      if (isDone) call.complete();
      return isTaken;
    });
  });
}

function stream(call: UwsCall, head: Head, body: ReadableStream<Uint8Array>, length: number | undefined): void {
  call.await();
  new ResponseOutlet(call, head, length).begin(body);
}

/** Node response events that count as the end of a request. */
import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { assertEquals } from "@std/assert";
import { adaptiveConcurrency } from "@sluice/rate-limit";
import type { Any } from "../support/sluice_and_express.ts";

class FakeResponse extends EventEmitter {
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  socket: object | null = null;

  end(): void {
    this.writableEnded = true;
  }

  destroy(): this {
    this.destroyed = true;
    return this;
  }
}

/** Number of requests in progress after something happens to a response. */
function inFlight(happens: (res: Any) => void, fields: object = {}): number {
  const limit = adaptiveConcurrency();
  const res = Object.assign(new FakeResponse(), fields);
  limit({}, res as Any, () => {});
  assertEquals(limit.figures.inFlight, 1);
  happens(res);
  return limit.figures.inFlight;
}

const CLOSED = { destroyed: true, readableEnded: false, errored: null, timeout: 0 };

Deno.test("a response that its handler destroys is over", () => {
  assertEquals(inFlight((res) => res.destroy()), 0);
});

Deno.test("a connection that the program closes ends the request", () => {
  assertEquals(inFlight((res) => res.emit("close"), { socket: CLOSED }), 0);
  assertEquals(inFlight((res) => res.emit("close"), { socket: { ...CLOSED, errored: new Error("own") } }), 0);
});

for (
  const [who, socket] of Object.entries({
    "a client that closes its side": { ...CLOSED, readableEnded: true },
    "a connection that fails": { ...CLOSED, errored: Object.assign(new Error(), { code: "ECONNRESET" }) },
    "what is no HTTP": { ...CLOSED, errored: Object.assign(new Error(), { code: "HPE_INVALID_CHUNK_SIZE" }) },
    "an idle timeout of the server": { ...CLOSED, timeout: 1000 },
  })
) {
  Deno.test(`${who} does not end the request, and its handler does`, () => {
    assertEquals(inFlight((res) => res.emit("close"), { socket }), 1);
    assertEquals(inFlight((res) => void (res.emit("close"), res.end()), { socket }), 0);
  });
}

Deno.test("a source that has written nothing when the client disconnects ends the request", () => {
  const leave = (res: Any): void => {
    new Readable({ read() {} }).pipe(res);
    res.emit("close");
  };
  assertEquals(inFlight(leave), 0);
});

Deno.test("a stream of HTTP/2 that its client resets is not finished, although Node says so", () => {
  const reset = (res: Any): void => void (res.emit("finish"), res.emit("close"));
  assertEquals(inFlight(reset, { stream: {} }), 1);
  assertEquals(inFlight((res) => void (reset(res), res.end()), { stream: {} }), 0);
  assertEquals(inFlight((res) => void (res.end(), res.emit("finish")), { stream: {} }), 0);
});

Deno.test("a queued response ends although Node never closes it, and not before its handler", () => {
  const leave = (res: Any): void => {
    res.req.aborted = true;
    res.req.emit("close");
  };
  const queued = () => ({ assignSocket() {}, req: Object.assign(new EventEmitter(), { aborted: false }) });
  assertEquals(inFlight(leave, queued()), 1);
  assertEquals(inFlight((res) => void (leave(res), res.end()), queued()), 0);
  // Bun destroys it for the client
  const destroyed = (res: Any): void => void (res.req.aborted = true, res.destroy());
  assertEquals(inFlight(destroyed, queued()), 1);
  assertEquals(inFlight((res) => void (destroyed(res), res.destroy()), queued()), 0);
});

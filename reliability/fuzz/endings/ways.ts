/** Ways in which a handler may end. */
import { pipeline, Readable } from "node:stream";
import { createReadStream } from "node:fs";

// deno-lint-ignore no-explicit-any -- Sluice and Express, which comes without types here
type Any = any;

/** A handler. */
export type Way = (req: Any, res: Any, next: (error?: unknown) => void) => unknown;

const FILE = `${process.cwd()}/LICENSE`;
const MISSING = `${process.cwd()}/missing/file`;

function failure(): Error {
  return new Error("on purpose");
}

/** A source that fails partway through. */
function failing(): Readable {
  return Readable.from((async function* () {
    yield "the beginning";
    await new Promise((resolve) => setTimeout(resolve));
    throw failure();
  })());
}

/** The same source as a web stream. */
function failingStream(): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream({
    pull(controller) {
      if (pulls++ === 0) controller.enqueue(new TextEncoder().encode("the beginning"));
      else controller.error(failure());
    },
  });
}

function ignored(): void {}

/** Ways that exist in Node and Express. */
export const WAYS: Readonly<Record<string, Way>> = {
  send: (_req, res) => res.send("text"),
  json: (_req, res) => res.json({}),
  end: (_req, res) => res.end(),
  large: (_req, res) => res.send("x".repeat(300_000)),
  status: (_req, res) => res.sendStatus(204),
  redirect: (_req, res) => res.redirect("/elsewhere"),
  written: (_req, res) => {
    res.write("two ");
    res.end("parts");
  },
  file: (_req, res) => res.sendFile(FILE),
  missingFile: (_req, res) => res.sendFile(MISSING),
  piped: (_req, res) => Readable.from(["two ", "parts"]).pipe(res),
  /** Sends nothing: the client has to disconnect. */
  silent: (_req, res) => new Readable({ read() {} }).pipe(res),
  pipeline: (_req, res) => void pipeline(Readable.from(["two ", "parts"]), res, ignored),
  missingPipeline: (_req, res) => void pipeline(createReadStream(MISSING).on("error", ignored), res, ignored),
  failingPipeline: (_req, res) => void pipeline(failing(), res, ignored),
  thrown: () => {
    throw failure();
  },
  rejected: () => Promise.reject(failure()),
  failed: (_req, _res, next) => next(failure()),
  unhandled: (_req, _res, next) => next(),
  thrownLate: (_req, res) => {
    res.write("the beginning");
    throw failure();
  },
  rejectedLate: async (_req, res) => {
    res.write("the beginning");
    await new Promise((resolve) => setTimeout(resolve, 1));
    throw failure();
  },
  destroyed: (_req, res) => res.destroy(),
  destroyedWithError: (_req, res) => res.destroy(failure()),
  destroyedWithCode: (_req, res) => res.destroy(Object.assign(failure(), { code: "ECONNREFUSED" })),
  destroyedLate: (_req, res) => {
    res.write("the beginning");
    setTimeout(() => res.destroy(), 1);
  },
  destroyedLateWithError: (_req, res) => {
    res.write("the beginning");
    setTimeout(() => res.destroy(failure()), 1);
  },
  endedAndDestroyed: (_req, res) => {
    res.send("text");
    res.destroy();
  },
  requestDestroyed: (req) => req.destroy(),
  requestDestroyedWithError: (req) => req.destroy(failure()),
  requestDestroyedLate: (req, res) => {
    res.write("the beginning");
    setTimeout(() => req.destroy(), 1);
  },
  socketDestroyed: (req) => req.socket.destroy(),
  socketDestroyedWithError: (req) => req.socket.destroy(failure()),
  socketDestroyedLate: (req, res) => {
    res.write("the beginning");
    setTimeout(() => req.socket.destroy(), 1);
  },
  /** Never ends: the client has to disconnect. */
  never: () => {},
};

/** Ways that exist only in Sluice. */
export const OWN_WAYS: Readonly<Record<string, Way>> = {
  response: () => new Response("text"),
  emptyResponse: () => new Response(null, { status: 204 }),
  streamedResponse: () => new Response(new Blob(["text"]).stream()),
  failingResponse: () => new Response(failingStream()),
  sentFailing: (_req, res) => res.send(failingStream()),
  failingPipe: (_req, res) => failing().pipe(res),
  responseLater: async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return new Response("text");
  },
  dataListenerThrows: (req) => {
    req.on("data", () => {
      throw failure();
    });
    req.on("end", () => {
      throw failure();
    });
  },
  asyncListenerRejects: (req) => {
    req.on("end", () => Promise.reject(failure()));
    req.resume();
  },
  writeCallbackThrows: (_req, res) => {
    res.write("the beginning", () => {
      throw failure();
    });
  },
  fileCallbackThrows: (_req, res) => {
    res.sendFile(MISSING, () => {
      throw failure();
    });
  },
};

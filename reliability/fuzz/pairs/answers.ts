/** Kinds of responses: every way a handler can respond. */
import { sse } from "@sluice/middleware/sse";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Any } from "../../../tests/support/sluice_and_express.ts";

/** A body, in the forms that handlers need. */
export interface Content {
  /** The body as a string. */
  readonly text: string;
  /** The body as bytes, in Node's type. */
  readonly bytes: Uint8Array;
  /** A file that contains it. */
  readonly path: string;
}

/** Responds with a content. */
export type Respond = (req: Any, res: Any, next: Any, content: Content) => unknown;

const PIECE = 64 * 1024;

function* piecesOf({ bytes }: Content): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

function streamOf(content: Content): ReadableStream<Uint8Array> {
  const pieces = piecesOf(content);
  return new ReadableStream({
    pull(controller) {
      const { done, value } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
  });
}

/** Ways that also exist in Express. */
export const COMMON: Readonly<Record<string, Respond>> = {
  json: (_req, res, _next, { text }) => res.json({ text }),
  "send a string": (_req, res, _next, { text }) => res.type("text").send(text),
  "send bytes": (_req, res, _next, { bytes }) => res.type("text").send(bytes),
  "send nothing": (_req, res) => res.send(),
  end: (_req, res, _next, { text }) => res.type("text").end(text),
  "end later": (_req, res, _next, { bytes }) => void setTimeout(() => res.type("text").end(bytes), 2),
  "write, and end": (_req, res, _next, { text }) => {
    const [one, two] = [text.length / 3 | 0, text.length / 2 | 0];
    res.type("text").write(text.slice(0, one));
    res.write(text.slice(one, two));
    res.end(text.slice(two));
  },
  "write with callbacks": (_req, res, _next, { bytes }) => {
    const half = bytes.length >> 1;
    res.type("text").write(bytes.subarray(0, half), () => res.end(bytes.subarray(half)));
  },
  "write, and wait for drain": async (_req, res, _next, content) => {
    res.type("text");
    for (const piece of piecesOf(content)) {
      if (!res.write(piece)) await new Promise<void>((resolve) => res.once("drain", resolve));
    }
    res.end();
  },
  writeHead: (_req, res, _next, { text }) => {
    res.writeHead(201, { "Content-Type": "text/plain", "X-Own": "1" }).end(text);
  },
  "flush the head, and a part": async (_req, res, _next, { text }) => {
    res.type("text").flushHeaders();
    await new Promise<void>((resolve) => setTimeout(resolve));
    res.write(text.slice(0, 20));
    res.flush?.();
    await new Promise<void>((resolve) => setTimeout(resolve));
    res.end(text.slice(20));
  },
  sendFile: (_req, res, _next, { path }) => res.sendFile(path),
  download: (_req, res, _next, { path }) => res.download(path, "own name.txt"),
  pipe: (_req, res, _next, { path }) => void createReadStream(path).pipe(res.type("text")),
  pipeline: (_req, res, _next, { path }) => pipeline(createReadStream(path), res.type("text")),
  "pipeline of a generator": (_req, res, _next, content) => pipeline(piecesOf(content), res.type("text")),
  redirect: (_req, res) => res.redirect("/elsewhere"),
  "204": (_req, res) => res.status(204).end(),
  "304": (_req, res, _next, { text }) => res.set("ETag", '"1"').type("text").send(text),
  render: (_req, res, _next, { text }) => res.render("view", { text }),
  throw: () => {
    throw Object.assign(new Error("planted"), { status: 418 });
  },
  reject: () => Promise.reject(new Error("planted")),
  "next(err)": (_req, _res, next) => next(new Error("planted")),
  "next()": (_req, _res, next) => next(),
};

/** Ways that exist only in Sluice. */
export const OWN: Readonly<Record<string, Respond>> = {
  "return a Response": (_req, _res, _next, { text }) => new Response(text, { headers: { "X-Own": "1" } }),
  "return a Response that streams": (_req, _res, _next, content) =>
    new Response(streamOf(content), { headers: { "Content-Type": "text/plain" } }),
  "send a stream": (_req, res, _next, content) => res.type("text").send(streamOf(content)),
  events: async (req, res) => {
    const events = sse(req, res);
    for (const data of ["one", "two"]) await events.send({ data });
    events.close();
  },
};

/** All kinds; the static middleware itself registers `static`. */
export const ANSWERS: Readonly<Record<string, Respond>> = { ...COMMON, ...OWN };
/** Name of the kind with which the static middleware responds. */
export const STATIC = "a static file";

/** The ways in which programs respond. */
import { Buffer } from "node:buffer";
import { cwd } from "node:process";
import { Readable } from "node:stream";
import type { Any } from "../../tests/support/sluice_and_express.ts";

/** A way to respond. */
export interface Way {
  /** Responds; where the way has a rest, that comes when the promise has resolved. */
  readonly run: (res: Any, next: (error?: unknown) => void, rest: Promise<void>) => unknown;
  /** The request's method; GET by default. */
  readonly method?: string;
  /** The request's headers. */
  readonly headers?: Record<string, string>;
  /** Whether Express lacks it. */
  readonly isOurs?: boolean;
  /** Whether the program still writes while the session is saved. */
  readonly hasRest?: boolean;
}

const FILE = `${cwd()}/LICENSE`;
const ONE = Buffer.from("one ".repeat(500));
const TWO = Buffer.from("two ".repeat(500));

async function* chunks(rest?: Promise<void>): AsyncGenerator<Uint8Array> {
  yield ONE;
  await rest;
  yield TWO;
}

/** All ways. */
export const WAYS: Readonly<Record<string, Way>> = {
  send: { run: (res) => res.status(201).set("X-Own", "1").send("text") },
  "send of bytes": { run: (res) => res.send(Buffer.from("bytes")) },
  json: { run: (res) => res.status(404).json({ page: "none" }) },
  end: { run: (res) => res.end("end") },
  "end without a chunk": { run: (res) => res.end() },
  "write and end": { run: (res) => (res.write("one "), res.end("two")) },
  "writeHead and end": { run: (res) => res.writeHead(201, "Made", { "X-Own": "1" }).end("head") },
  "flushHeaders and end": { run: (res) => (res.flushHeaders(), res.end("flushed")) },
  sendStatus: { run: (res) => res.sendStatus(202) },
  sendFile: { run: (res) => res.sendFile(FILE, { maxAge: "1y", immutable: true }) },
  download: { run: (res) => res.download(FILE) },
  redirect: { run: (res) => res.redirect("/elsewhere") },
  pipe: { run: (res) => void Readable.from(chunks()).pipe(res) },
  "204": { run: (res) => res.status(204).end() },
  "304": { run: (res) => res.set("ETag", '"1"').send("text"), headers: { "if-none-match": '"1"' } },
  HEAD: { run: (res) => res.json({ a: 1 }), method: "HEAD" },
  "HEAD of writes": { run: (res) => (res.write("one "), res.end("two")), method: "HEAD" },
  "an error page": { run: (_res, next) => next(Object.assign(new Error("planted"), { status: 418 })) },
  "a page for 404": { run: (_res, next) => next() },
  "a Response": { run: () => new Response("web", { status: 203 }), isOurs: true },
  "a Response that streams": { run: () => new Response(new Blob(["web"]).stream()), isOurs: true },
  "send of a stream": { run: (res) => res.send(new Blob(["stream"]).stream()), isOurs: true },
  "send of a Blob": { run: (res) => res.send(new Blob(["blob"])), isOurs: true },
  "a slow pipe": { run: (res, _next, rest) => void Readable.from(chunks(rest)).pipe(res), hasRest: true },
  "slow writes": {
    async run(res, _next, rest) {
      res.write(ONE);
      await rest;
      res.end(TWO);
    },
    hasRest: true,
  },
  "a slow end": {
    async run(res, _next, rest) {
      res.flushHeaders();
      await rest;
      res.write(TWO);
      res.end();
    },
    hasRest: true,
  },
  "a slow iterable": { run: (res, _next, rest) => res.send(chunks(rest)), hasRest: true, isOurs: true },
  "a slow Response": {
    run: (_res, _next, rest) => new Response((ReadableStream as Any).from(chunks(rest))),
    hasRest: true,
    isOurs: true,
  },
};

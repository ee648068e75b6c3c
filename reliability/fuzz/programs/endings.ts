/** How handlers end, and what their client must get. */
import { sse } from "@sluice/middleware/sse";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { sleep } from "./sleep.ts";

/** A way to end. */
export interface Ending {
  readonly run: (req: Any, res: Any, next: Any) => unknown;
  /** The status; 200 by default. */
  readonly status?: number;
  /** The body; `undefined` if it depends on the middleware. */
  readonly body?: string;
  /** Whether it fails after the head. */
  readonly isCut?: boolean;
  /** Whether it fails, so that error handlers respond. */
  readonly fails?: boolean;
  /** Whether the response sets another cookie, named `own`. */
  readonly setsCookie?: boolean;
  /** Whether it changes which session there is. */
  readonly changesSession?: boolean;
}

/** A body long enough to be compressed. */
const PAGE = "a page has several lines\n".repeat(400);
const SLOW_MS = 50;

const FAST: Readonly<Record<string, Ending>> = {
  json: { run: (_req, res) => res.json({ page: PAGE }), body: JSON.stringify({ page: PAGE }) },
  text: { run: (_req, res) => res.type("text").send(PAGE), body: PAGE },
  short: { run: (_req, res) => res.send("short"), body: "short" },
  empty: { run: (_req, res) => res.end(), body: "" },
  noContent: { run: (_req, res) => res.sendStatus(204), status: 204, body: "" },
  redirect: { run: (_req, res) => res.redirect("/elsewhere"), status: 302 },
  written: {
    run(_req, res) {
      res.type("text").write("one ");
      res.write(PAGE);
      res.end("two");
    },
    body: `one ${PAGE}two`,
  },
  writtenLater: {
    async run(_req, res) {
      res.type("text").write("one ");
      await sleep(2);
      res.write(PAGE);
      await sleep(2);
      res.end("two");
    },
    body: `one ${PAGE}two`,
  },
  flushed: {
    async run(_req, res) {
      res.type("text").flushHeaders();
      await sleep(2);
      res.end(PAGE);
    },
    body: PAGE,
  },
  head: {
    run(_req, res) {
      res.writeHead(201, { "Content-Type": "text/plain", "Content-Length": PAGE.length });
      res.end(PAGE);
    },
    status: 201,
    body: PAGE,
  },
  headWithCookie: {
    run(_req, res) {
      res.writeHead(201, { "Content-Type": "text/plain", "Set-Cookie": "own=1" });
      res.end(PAGE);
    },
    status: 201,
    body: PAGE,
    setsCookie: true,
  },
  headInList: {
    run(_req, res) {
      res.writeHead(201, ["Content-Type", "text/plain", "Set-Cookie", "own=1"]);
      res.end(PAGE);
    },
    status: 201,
    body: PAGE,
    setsCookie: true,
  },
  cookie: { run: (_req, res) => res.cookie("own", "1").send("cookie"), body: "cookie", setsCookie: true },
  response: {
    run: () => new Response(PAGE, { headers: { "content-type": "text/plain", "set-cookie": "own=1", vary: "X-Own" } }),
    body: PAGE,
    setsCookie: true,
  },
  emptyResponse: { run: () => new Response(null, { status: 204 }), status: 204, body: "" },
  streamedResponse: { run: () => new Response(streamed("one", PAGE)), body: `one${PAGE}` },
  sentStream: { run: (_req, res) => res.type("text").send(streamed("one", PAGE)), body: `one${PAGE}` },
  events: { run: (req, res) => sse(req, res).sendAll([{ data: "one" }, { data: "two" }]) },
  thrown: {
    run() {
      throw Object.assign(new Error("planted"), { status: 418 });
    },
    status: 418,
    fails: true,
  },
  passed: { run: (_req, _res, next) => next(new Error("planted")), status: 500, fails: true },
  unhandled: { run: (_req, _res, next) => next(), status: 404 },
  outOfRouter: { run: (_req, _res, next) => next("router"), status: 404 },
  thrownAfterHead: {
    run(_req, res) {
      res.write("one");
      throw new Error("planted");
    },
    isCut: true,
  },
  rejectedAfterEnd: {
    async run(_req, res) {
      res.send("whole");
      await sleep(2);
      throw new Error("planted");
    },
    body: "whole",
  },
  sentTwice: {
    run(_req, res) {
      res.send("one");
      res.send("two, planted");
    },
    body: "one",
  },
  nextAfterEnd: {
    run(_req, res, next) {
      res.send("whole");
      next();
    },
    body: "whole",
  },
  cutStream: { run: (_req, res) => res.send(cut()), isCut: true },
  cutResponse: { run: () => new Response(cut()), isCut: true },
  listenerThrows: {
    run(_req, res) {
      res.on("finish", () => {
        throw new Error("planted");
      });
      res.send("whole");
    },
    body: "whole",
  },
  regenerated: {
    async run(req, res) {
      await req.session?.regenerate?.();
      res.json("new");
    },
    body: '"new"',
    changesSession: true,
  },
  destroyedSession: {
    async run(req, res) {
      await req.session?.destroy?.();
      res.json("none");
    },
    body: '"none"',
    changesSession: true,
  },
  savedAndWritten: {
    async run(req, res) {
      await req.session?.save?.()?.catch(() => {});
      res.write("one ");
      res.end("two");
    },
    body: "one two",
  },
};

/** The same endings after a while, which exceed a short timeout. */
const SLOW = Object.fromEntries(
  ["json", "written", "headWithCookie", "response", "sentStream", "events", "thrown", "passed", "unhandled"].map(
    (name): [string, Ending] => {
      const ending = FAST[name]!;
      const run: Ending["run"] = async (req, res, next) => {
        await sleep(SLOW_MS);
        return await ending.run(req, res, next);
      };
      return [`${name} later`, { ...ending, run }];
    },
  ),
);

/** All of them. */
export const ENDINGS: Readonly<Record<string, Ending>> = { ...FAST, ...SLOW };

/** Error handlers, which respond with `error: ` and the message, if they can. */
export const ERROR_HANDLERS: Readonly<Record<string, Any>> = {
  send: handlerOf((error, res) => res.status(error.status ?? 500).type("text").send(textOf(error))),
  async sendLater(error: Any, req: Any, res: Any, next: Any) {
    await sleep(5);
    return ERROR_HANDLERS["send"](error, req, res, next);
  },
  respond: handlerOf((error) => new Response(textOf(error), { status: error.status ?? 500 })),
  write: handlerOf((error, res) => {
    res.status(error.status ?? 500).type("text").write("error: ");
    res.end(error.message);
  }),
};

function handlerOf(respond: (error: Any, res: Any) => unknown): Any {
  return (error: Any, _req: Any, res: Any, next: Any) => res.headersSent ? next(error) : respond(error, res);
}

function textOf({ message }: Error): string {
  return `error: ${message}`;
}

function streamed(...texts: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from((async function* () {
    for (const text of texts) {
      yield new TextEncoder().encode(text);
      await sleep(1);
    }
  })());
}

function cut(): ReadableStream<Uint8Array> {
  return ReadableStream.from((async function* () {
    yield new TextEncoder().encode("one");
    await sleep(1);
    throw new Error("planted");
  })());
}

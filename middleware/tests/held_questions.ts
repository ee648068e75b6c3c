/** What programs ask a response, or try to do with it, while a session holds it back. */
import type { Any } from "../../tests/support/sluice_and_express.ts";

/** Asks a question; the result is compared as JSON. */
export type Ask = (res: Any, req: Any) => unknown;

/** What a response shows of itself. */
export function stateOf(res: Any): Record<string, unknown> {
  const { headersSent, writableEnded, finished, writableFinished, writableNeedDrain, destroyed, statusCode } = res;
  return { headersSent, writableEnded, finished, writableFinished, writableNeedDrain, destroyed, statusCode };
}

function outcomeOf(res: Any, call: () => unknown): unknown {
  try {
    const result = call();
    return result === res ? "the response" : result ?? "nothing";
  } catch (error) {
    return (error as Any).code ?? String(error);
  }
}

/** A chunk that comes too late. */
const LATE = "late";

// the error is emitted where nothing else gets it
const hushed = (ask: Ask): Ask => (res, req) => {
  res.on("error", () => {});
  return ask(res, req);
};

// the error that a callback gets, which waits for the response
const calledBack = (call: (res: Any, done: (error?: Any) => void) => unknown): Ask =>
  hushed((res, req) => {
    req.calledBack = "never";
    call(res, (error) => req.calledBack = error?.code ?? "called");
    return "";
  });

/** All questions. Each is asked of a response of its own. */
export const QUESTIONS: Readonly<Record<string, Ask>> = {
  "what it shows": (res) => stateOf(res),
  "statusCode = 500": (res) => (res.statusCode = 500, res.headersSent),
  status: (res) => outcomeOf(res, () => res.status(500)),
  getHeader: (res) => outcomeOf(res, () => res.getHeader("X-Own")),
  setHeader: (res) => outcomeOf(res, () => res.setHeader("X-Late", "1")),
  appendHeader: (res) => outcomeOf(res, () => res.appendHeader("X-Late", "1")),
  removeHeader: (res) => outcomeOf(res, () => res.removeHeader("X-Own")),
  cookie: (res) => outcomeOf(res, () => res.cookie("late", "1")),
  vary: (res) => outcomeOf(res, () => res.vary("X-Late")),
  writeHead: (res) => outcomeOf(res, () => res.writeHead(202)),
  "writeHead with a wrong status": (res) => outcomeOf(res, () => res.writeHead(99)),
  flushHeaders: (res) => outcomeOf(res, () => res.flushHeaders()),
  write: hushed((res) => [outcomeOf(res, () => res.write(LATE)), stateOf(res)]),
  "write with a callback": calledBack((res, done) => res.write(LATE, done)),
  end: (res) => [outcomeOf(res, () => res.end()), stateOf(res)],
  "end with a callback": calledBack((res, done) => res.end(done)),
  "end with a chunk": hushed((res) => outcomeOf(res, () => res.end(LATE))),
  send: (res) => outcomeOf(res, () => res.send(LATE)),
  json: (res) => outcomeOf(res, () => res.json(LATE)),
  sendStatus: (res) => outcomeOf(res, () => res.sendStatus(500)),
  redirect: (res) => outcomeOf(res, () => res.redirect("/late")),
  "next()": (res, req) => outcomeOf(res, () => req.next()),
  "next(error)": (res, req) => outcomeOf(res, () => req.next(new Error("planted: too late"))),
  "on finish": (res, req) => (res.once("finish", () => req.calledBack = "finish"), ""),
};

/**
 * The members and options of the packages that Express programs use, read from the packages themselves. Each is here
 * too, or fails with advice, or is listed with the reason.
 */
import { EventEmitter } from "node:events";
import { assert, assertEquals } from "@std/assert";
import compression from "compression";
import timeoutOfConnect from "connect-timeout";
import { doubleCsrf } from "csrf-csrf";
import expressSession from "express-session";
import morgan from "morgan";
import multer from "multer";
import pino from "pino";
import { pinoHttp } from "pino-http";
import prom from "prom-client";
import { WebSocket } from "ws";
import { compress } from "@sluice/middleware/compress";
import { csrf } from "@sluice/middleware/csrf";
import { log } from "@sluice/middleware/log";
import { metrics } from "@sluice/middleware/metrics";
import { MemorySessionStore, session } from "@sluice/middleware/session";
import { timeout } from "@sluice/middleware/timeout";
import { upload } from "@sluice/middleware/upload";
import { Connections } from "../../src/websocket/connections.ts";
import { WebSocketConnection } from "../../src/websocket/ws_connection.ts";
import { quietApp } from "../support/app.ts";

// deno-lint-ignore no-explicit-any -- what plain JavaScript may write
type Given = any;

const SECRET = "a secret of at least 32 characters";
const STORE = new MemorySessionStore();

/** An object of ours, beside one or more of theirs. */
interface Members {
  /** Their members. */
  readonly theirs: readonly string[];
  /** Our object. */
  readonly ours: object;
  /** Their members that are `undefined` here, and why. */
  readonly missing?: Readonly<Record<string, string>>;
}

/** A function of ours that takes options, beside theirs. */
interface Options {
  /** Their options. */
  readonly theirs: readonly string[];
  /** Our function. */
  readonly ours: (options: Given) => unknown;
  /** Their options for which our error only lists our own, and why. */
  readonly missing?: Readonly<Record<string, string>>;
}

/** The names of an object's members, those of its prototypes included. */
function namesOf(object: object, ...excluded: readonly object[]): string[] {
  const names = new Set<string>();
  const last = [Object.prototype, Function.prototype, ...excluded];
  for (let one = object; one !== null && !last.includes(one); one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) names.add(name);
  }
  const functions = typeof object === "function" ? ["length", "name", "prototype"] : [];
  // an underscore marks what programs must not use
  return [...names].filter((name) => !/^_|^constructor$/.test(name) && !functions.includes(name));
}

/** The options that a function reads from the object with this name in its source. */
function optionsIn(theirs: (...args: never[]) => unknown, object: string): string[] {
  const source = String(theirs);
  const read = source.matchAll(new RegExp(`\\b${object}\\.(\\w+)`, "g"));
  const destructured = source.matchAll(new RegExp(`\\{([^{}]*)\\}\\s*=\\s*${object}\\b`, "g"));
  const names = [
    ...Array.from(read, ([, name]) => name!),
    ...Array.from(destructured, ([, list]) => list!.split(",").map((one) => one.trim().split(/\W/)[0]!)).flat(),
  ];
  return [...new Set(names)].filter((name) => !/^_|^$|^hasOwnProperty$/.test(name));
}

/** Runs middleware, and returns the request and the names of the members that the middleware has added to it. */
async function requestBehind(...middleware: readonly Given[]): Promise<{ req: Given; added: string[] }> {
  let req: Given;
  let before: readonly string[] = [];
  const app = quietApp();
  app.use((req: Given, _res: Given, next: Given) => {
    before = Object.getOwnPropertyNames(req);
    next();
  });
  app.use(...middleware as [Given]);
  app.get("/", (own: Given, res: Given) => {
    req = own;
    res.end();
  });
  await app.inject("/");
  assert(req !== undefined, "the middleware did not call next");
  const added = Object.getOwnPropertyNames(req).filter((name) => !before.includes(name) && !name.startsWith("_"));
  return { req, added };
}

const theirSession = await requestBehind(expressSession({ secret: SECRET, resave: false, saveUninitialized: true }));
const theirTimeout = await requestBehind(timeoutOfConnect(1000));
const { doubleCsrfProtection } = doubleCsrf({ getSecret: () => SECRET, getSessionIdentifier: () => "one" });
// it reads the cookies that cookie-parser leaves
const theirCsrf = await requestBehind((req: Given, _res: Given, next: Given) => {
  req.cookies = {};
  next();
}, doubleCsrfProtection);
const theirLog = await requestBehind(pinoHttp({}, { write() {} }));

const { req: withSession } = await requestBehind(session({ store: STORE }));
const { req: withTimeout } = await requestBehind(timeout(1000));
const { req: withCsrf } = await requestBehind(csrf({ token: { secret: SECRET } }));
const { req: withLog } = await requestBehind(log({ stream: () => {} }));

const pinoMembers = namesOf(pino({}, { write() {} }), EventEmitter.prototype);
const OF_LOGGER = {
  version: "pino's own",
};

const MEMBERS: Readonly<Record<string, Members>> = {
  "session, beside express-session": {
    theirs: namesOf(expressSession),
    ours: session,
    missing: {
      Store: "a class for authors of stores, which are plain objects here",
      Cookie: "a class for authors of stores, which keep strings here",
      Session: "a class for authors of stores, which keep strings here",
    },
  },
  "a request with a session": {
    theirs: theirSession.added,
    ours: withSession,
    missing: { sessionStore: "the program has its store in a variable; a member would cost every request" },
  },
  "req.session": {
    theirs: namesOf(theirSession.req.session),
    ours: withSession.session,
    missing: { req: "a cycle that its own methods need" },
  },
  "req.session.cookie": {
    theirs: [
      ...namesOf(theirSession.req.session.cookie),
      ...Object.keys(theirSession.req.session.cookie.data),
    ],
    ours: withSession.session.cookie,
    missing: {
      data: "for serializing, which the response does",
      serialize: "the response does that",
    },
  },
  "log(), beside pino": { theirs: pinoMembers, ours: log(), missing: OF_LOGGER },
  "a request with a log, beside pino-http": {
    theirs: theirLog.added,
    ours: withLog,
    missing: {
      allLogs: "for several loggers on one request, with pino-http's option",
      id: "requestId sets it",
    },
  },
  "req.log": { theirs: pinoMembers, ours: withLog.log, missing: OF_LOGGER },
  "metrics(), beside prom-client": {
    theirs: [...namesOf(prom), "counter", "gauge", "histogram", "summary", "handler", "endpoint", "middleware"],
    ours: metrics(),
    missing: {
      prometheusContentType: "a constant for registries",
      openMetricsContentType: "a constant for registries",
      validateMetricName: "a function for authors of metrics",
      Pushgateway: "it takes a registry",
      linearBuckets: "a function for the buckets of prom-client's histograms",
      exponentialBuckets: "a function for the buckets of prom-client's histograms",
      aggregators: "for clusters of prom-client's registries",
      AggregatorRegistry: "for clusters of prom-client's registries",
    },
  },
  "metrics(), beside prom-client's register": { theirs: namesOf(prom.Registry.prototype), ours: metrics() },
  "upload, beside multer": {
    theirs: [...namesOf(multer), ...namesOf(Object.getPrototypeOf(multer()))],
    ours: upload,
  },
  "upload(), beside multer()": { theirs: namesOf(Object.getPrototypeOf(multer())), ours: upload() },
  "compress, beside compression": { theirs: namesOf(compression), ours: compress },
  "ws, beside ws": {
    theirs: namesOf(WebSocket.prototype, EventEmitter.prototype),
    ours: new WebSocketConnection(
      { readyState: 1, bufferedAmount: 0 } as Given,
      "",
      {} as Given,
      new Connections(),
      {} as Given,
    ),
    missing: {
      CONNECTING: "a constant, as on the web's WebSocket",
      OPEN: "a constant, as on the web's WebSocket",
      CLOSING: "a constant, as on the web's WebSocket",
      CLOSED: "a constant, as on the web's WebSocket",
      binaryType: "bytes are always a Uint8Array",
      emitClose: "a part of ws itself",
      extensions: "the runtime compresses, or does not",
      isPaused: "reading is paused at maxBufferedBytes",
      pause: "reading is paused at maxBufferedBytes",
      resume: "reading is paused at maxBufferedBytes",
      pong: "the runtime responds to pings",
      removeEventListener: "listeners cannot be added; adding one fails with advice",
      setSocket: "a part of ws itself",
    },
  },
  "a request with a time limit, beside connect-timeout": { theirs: theirTimeout.added, ours: withTimeout },
  "a request with a token, beside csrf-csrf": { theirs: theirCsrf.added, ours: withCsrf },
};

const OPTIONS: Readonly<Record<string, Options>> = {
  "session, beside express-session": {
    theirs: optionsIn(expressSession, "opts"),
    ours: (options) => session({ store: STORE, ...options }),
  },
  "the session's cookie": {
    theirs: ["expires", "maxAge", "signed", ...Object.keys(theirSession.req.session.cookie.data)],
    ours: (cookie) => session({ store: STORE, cookie }),
    missing: {
      originalMaxAge: "no option, but what maxAge was",
      signed: "a cookie is sealed, or a random token",
    },
  },
  "log, beside pino": { theirs: optionsIn(pino, "opts"), ours: log },
  "log, beside pino-http": { theirs: optionsIn(pinoHttp, "opts"), ours: log },
  "log, beside morgan": { theirs: optionsIn(morgan, "opts"), ours: log },
  "upload, beside multer": {
    theirs: optionsIn(Object.getPrototypeOf(multer()).constructor, "options"),
    ours: upload,
    missing: {
      defCharset: "names are UTF-8, as browsers send them",
      defParamCharset: "names are UTF-8, as browsers send them",
      fileHwm: "a size inside of its parser",
      highWaterMark: "a size inside of its parser",
      preservePath: "a client's path is never in a file's name",
      streamHandler: "it feeds a body that the platform has read, which requests have here",
    },
  },
  "compress, beside compression": { theirs: optionsIn(compression, "opts"), ours: compress },
  "timeout, beside connect-timeout": {
    theirs: optionsIn(timeoutOfConnect, "opts"),
    ours: (options) => timeout(1000, options),
  },
};

/** Whether a member is there, or fails with advice. */
function isMember(object: Given, name: string): boolean {
  try {
    return object[name] !== undefined;
  } catch (error) {
    assert(error instanceof TypeError && /^there is no \S+; \S/.test(error.message), String(error));
    return true;
  }
}

/** Whether an option is accepted, is known, or fails with advice. */
function isOption(ours: (options: Given) => unknown, name: string): boolean {
  try {
    ours({ [name]: {} });
    return true;
  } catch (error) {
    const { message } = error as Error;
    const other = `there is no option ${name}; `;
    return !message.includes(`${other}there are `) && !message.includes(`${other}did you mean `);
  }
}

for (const [name, { theirs, ours, missing = {} }] of Object.entries(MEMBERS)) {
  Deno.test(`${name}: every member is here, or says what to write, or is listed with the reason`, () => {
    assert(theirs.length > 0);
    const silent = new Set(theirs.filter((member) => !isMember(ours, member)));
    assertEquals([...silent].sort(), Object.keys(missing).sort());
  });
}

for (const [name, { theirs, ours, missing = {} }] of Object.entries(OPTIONS)) {
  Deno.test(`${name}: every option is here, or says what to write, or is listed with the reason`, () => {
    assert(theirs.length > 0);
    const unnamed = new Set(theirs.filter((option) => !isOption(ours, option)));
    assertEquals([...unnamed].sort(), Object.keys(missing).sort());
  });
}

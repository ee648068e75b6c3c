/**
 * Asks every question of responses that a session holds back, however they were sent: on Sluice and on Express, with
 * this package's session, with express-session and with none. Prints what each shows.
 */
import compression from "compression";
import express from "express";
import expressSession from "express-session";
import { request } from "node:http";
import { argv, exit, stdout } from "node:process";
import { gunzipSync } from "node:zlib";
import { compress } from "@sluice/middleware/compress";
import { MemorySessionStore, session } from "@sluice/middleware/session";
import sluice from "@sluice/sluice";
import { deferred } from "../../src/util/deferred.ts";
import type { Any } from "../../tests/support/sluice_and_express.ts";
import { type Ask, QUESTIONS, stateOf } from "./held_questions.ts";
import { type Way, WAYS } from "./held_ways.ts";

/** What a case shows. */
export interface Seen {
  /** What the question shows. */
  shown: unknown;
  /** What a callback or listener got, if the question has one. */
  calledBack?: string;
  /** The response's events, with its state. */
  readonly events: [string, Record<string, unknown>][];
  /** What the client got. */
  client?: unknown;
  /** Errors reported to Sluice's application. */
  readonly reported: string[];
}

/** What becomes of a response that is held back. */
export type End = "saved" | "failed" | "failed, and handled later" | "disconnected";

const ENDS: readonly End[] = ["saved", "failed", "failed, and handled later", "disconnected"];

/** The headers that are compared, besides cookies. */
const HEADERS = ["cache-control", "content-disposition", "content-type", "etag", "last-modified", "x-late", "x-own"];

class Case {
  readonly seen: Seen = { shown: "not asked", events: [], reported: [] };
  readonly held = deferred();
  readonly released = deferred();
  readonly rest = deferred();
  readonly handled = deferred();
  readonly asked = deferred();
  readonly closed = deferred();
  /** Whether the program has called `res.end`. */
  isEnded = false;
  #isAsked = false;

  constructor(readonly way: Way, readonly ask: Ask, readonly end: End) {}

  async put(res: Any, req: Any): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.seen.shown = this.ask(res, req);
    this.asked.resolve();
    await this.closed.promise;
    this.seen.calledBack = req.calledBack;
  }
}

let current: Case;

async function save<T>(run: () => T | Promise<T>): Promise<T> {
  const { held, released, end } = current;
  held.resolve();
  await released.promise;
  if (end.startsWith("failed")) throw new Error("planted: no store");
  return run();
}

class SlowStore extends MemorySessionStore {
  override set(...args: Parameters<MemorySessionStore["set"]>): Promise<boolean> {
    return save(() => super.set(...args));
  }
}

function slowExpressStore(): Any {
  const store: Any = new expressSession.MemoryStore();
  const { set } = store;
  store.set = (...args: Any[]) => void save(() => set.apply(store, args)).catch((error) => args.at(-1)(error));
  return store;
}

const ours = (): Any => session({ store: new SlowStore() });
const theirs = (): Any =>
  expressSession({ secret: "s", resave: false, saveUninitialized: false, store: slowExpressStore() });
const none = (): Any => (req: Any, _res: Any, next: Any) => (req.session = {}, next());

// uses the session before the middleware behind it replaces the response's methods
const used = (req: Any, _res: Any, next: Any): void => (void req.session, next());

const COMPRESSIONS: Record<string, () => Any> = {
  compress: () => compress({ threshold: 0, encodings: ["gzip"] }),
  "npm's compression": () => compression({ threshold: 0 }),
};

interface Subject {
  readonly lib: Any;
  readonly middleware: () => Any[];
  readonly isFetched?: boolean;
  readonly isAlone?: boolean;
  readonly isCompressed?: boolean;
}

const SUBJECTS: Record<string, Subject> = {
  fetch: { lib: sluice, middleware: () => [ours()], isFetched: true },
  listen: { lib: sluice, middleware: () => [ours()] },
};
for (const [name, make] of Object.entries(COMPRESSIONS)) {
  const both = { lib: sluice, isCompressed: true };
  SUBJECTS[`listen, behind ${name}`] = { ...both, middleware: () => [make(), ours()] };
  SUBJECTS[`listen, in front of ${name}`] = { ...both, middleware: () => [ours(), used, make()] };
}
if (argv.includes("express")) {
  SUBJECTS["express"] = { lib: express, middleware: () => [ours()] };
  for (const [name, make] of Object.entries(COMPRESSIONS)) {
    const both = { lib: express, isCompressed: true };
    SUBJECTS[`express, behind ${name}`] = { ...both, middleware: () => [make(), ours()] };
    SUBJECTS[`express, in front of ${name}`] = { ...both, middleware: () => [ours(), used, make()] };
  }
  SUBJECTS["express-session"] = { lib: express, middleware: () => [theirs()] };
  SUBJECTS["express alone"] = { lib: express, middleware: () => [none()], isAlone: true };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function turns(count: number, isOver = (): boolean => false): Promise<void> {
  for (let i = 0; i < count && !isOver(); i++) await turn();
}

function build({ lib, middleware, isAlone }: Subject): Any {
  const app = lib().set("env", "test").set("etag", "weak");
  if (lib === sluice) app.on("error", (error: Any) => current.seen.reported.push(error.message));
  app.use((_req: Any, res: Any, next: Any) => {
    const { seen, closed } = current;
    for (const name of ["finish", "close"]) res.on(name, () => seen.events.push([name, stateOf(res)]));
    res.on("close", () => closed.resolve());
    next();
  });
  app.use(...middleware());
  app.use((req: Any, res: Any, next: Any) => {
    const mine = current;
    req.session.n = 1;
    if (lib === express) {
      const { end } = res;
      res.end = (...args: Any[]) => {
        const result = end.apply(res, args);
        mine.isEnded = true;
        if (isAlone) void mine.put(res, req);
        return result;
      };
    }
    if (!isAlone) void whenHeld(mine, res).then(() => mine.put(res, req));
    return mine.way.run(res, next, mine.rest.promise);
  });
  app.use((error: Any, _req: Any, res: Any, next: Any) => {
    const mine = current;
    if (error.message !== "planted: no store" || res.headersSent) return next(error);
    const respond = (): void => res.status(503).send("sorry");
    if (mine.end === "failed") return respond();
    // it may have noted the error first
    res.status(503);
    void mine.handled.promise.then(() => !res.headersSent && respond());
  });
  return app;
}

async function whenHeld(mine: Case, res: Any): Promise<void> {
  await mine.held.promise;
  await turns(500, () => mine.way.hasRest || res.writableEnded || mine.isEnded);
}

/** A request that was sent. */
interface Sent {
  /** What the client gets. */
  readonly response: Promise<unknown>;
  /** Disconnects. */
  leave(): void;
}

function ask(app: Any, port: number, way: Way, { isFetched, isCompressed }: Subject): Sent {
  const { method = "GET" } = way;
  const headers = { "accept-encoding": isCompressed ? "gzip" : "identity", ...way.headers };
  if (isFetched) {
    const leaving = new AbortController();
    const asked = new Request("http://localhost/", { method, headers, signal: leaving.signal });
    const response = Promise.resolve(app.fetch(asked)).then(async (got: Response) => {
      const bytes = new Uint8Array(await got.arrayBuffer());
      return whatCame(got.status, bytes, (name) => got.headers.get(name), got.headers.getSetCookie());
    }).catch((error: Any) => `failed: ${error}`);
    return { response, leave: () => leaving.abort() };
  }
  const req = request({ port, host: "127.0.0.1", method, headers, agent: false });
  const response = new Promise((resolve) => {
    req.on("error", () => resolve("cut off"));
    req.on("response", (got) => {
      const pieces: Uint8Array[] = [];
      const { statusCode, headers } = got;
      got.on("data", (piece: Uint8Array) => pieces.push(piece));
      got.on("error", () => resolve(`${statusCode}, cut off`));
      const header = (name: string): string | null => headers[name] as string ?? null;
      got.on("end", () => resolve(whatCame(statusCode!, Buffer.concat(pieces), header, headers["set-cookie"] ?? [])));
    });
  });
  req.end();
  return { response, leave: () => req.destroy() };
}

function whatCame(status: number, bytes: Uint8Array, header: (name: string) => string | null, cookies: string[]) {
  const isCoded = header("content-encoding") === "gzip" && bytes.length > 0;
  const body = new TextDecoder().decode(isCoded ? gunzipSync(bytes) : bytes);
  const seen = Object.fromEntries(HEADERS.map((name) => [name, header(name)]));
  // stacks differ
  return { status, body: body.replace(/<br>.*/, ""), ...seen, cookies: cookies.map((one) => one.replace(/=.*/, "")) };
}

async function within<T>(promise: Promise<T>, late: T): Promise<T> {
  let timer: Any;
  const timeout = new Promise<T>((resolve) => timer = setTimeout(() => resolve(late), 1000));
  return await Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

async function run(app: Any, port: number, mine: Case, subject: Subject): Promise<Seen> {
  current = mine;
  const { response, leave } = ask(app, port, mine.way, subject);
  await within(mine.asked.promise, undefined);
  if (mine.end === "disconnected") {
    leave();
    await within(mine.closed.promise, undefined);
  }
  mine.released.resolve();
  const count = mine.way.hasRest ? 10 : 2;
  await turns(count);
  // the rest of the program's response, and then the error handler's
  mine.rest.resolve();
  await turns(count);
  mine.handled.resolve();
  mine.seen.client = await within<unknown>(response, "nothing");
  await within(mine.closed.promise, undefined);
  await turn();
  return mine.seen;
}

const results: Record<string, Record<string, Seen>> = {};
for (const [name, subject] of Object.entries(SUBJECTS)) {
  const app = build(subject);
  const server = subject.isFetched ? null : app.listen(0, "127.0.0.1");
  if (server !== null && !server.listening) await new Promise((go) => server.once("listening", go));
  const port = server?.address().port ?? 0;
  for (const [wayName, way] of Object.entries(WAYS)) {
    if (way.isOurs && subject.lib !== sluice) continue;
    // express-session holds back only the end
    if (way.hasRest && name === "express-session") continue;
    const questions = way.hasRest || subject.isCompressed ? [] : Object.entries(QUESTIONS);
    const cases: [string, Ask, End][] = questions.map(([question, ask]) => [question, ask, "saved"]);
    if (!subject.isAlone) { for (const end of ENDS) cases.push([end, stateOf, end]); }
    for (const [question, ask, end] of cases) {
      const seen = await run(app, port, new Case(way, ask, end), subject);
      (results[`${wayName}: ${question}`] ??= {})[name] = seen;
    }
  }
  server?.close();
  server?.closeAllConnections?.();
}
stdout.write(JSON.stringify(results), () => exit(0));

/** Small applications with middleware at every level: whatever ends a request, each middleware does its work once. */
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import { virtualTimers } from "../../../tests/support/virtual_timers.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { shorter } from "../smallest.ts";
import { ENDINGS, ERROR_HANDLERS } from "./endings.ts";
import { AGAIN, ENTRIES, ROLES, SHORT_MS } from "./entries.ts";
import { type Got, LEVELS, type Mounted, type Program, RunningProgram, type Seen } from "./program.ts";

const NAMES = [...Object.keys(ENTRIES), ...AGAIN];
const MOST_MIDDLEWARE = 5;
/** Programs that run at the same time. */
const AT_ONCE = 48;
const PATIENCE_MS = 5000;
/** How far time moves at once: less than what any two timers must be apart. */
const STEP_MS = 5;

/** Fuzzes programs. `using` ends it. */
export class ProgramFuzzer implements Fuzzer<Program>, Disposable {
  readonly name = "programs behind middleware";
  readonly #faulty: Any;
  #rejections: unknown[] = [];
  readonly #note = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    this.#rejections.push(event.reason);
  };

  /** @param faulty Middleware with a fault that must be found */
  constructor(faulty?: Any) {
    this.#faulty = faulty;
    addEventListener("unhandledrejection", this.#note);
  }

  round(pick: Pick): readonly Program[] {
    return Array.from({ length: AT_ONCE }, () => randomProgram(pick));
  }

  async check(steps: readonly Program[]): Promise<Wrong | undefined> {
    this.#rejections = [];
    // on a busy machine, a timeout and what comes long after it would otherwise happen together
    using time = virtualTimers();
    let all: readonly (Wrong | undefined)[] | null = null;
    void Promise.all(steps.map((step) => this.#checkOne(step))).then((found) => all = found);
    while (all === null) await time.advance(STEP_MS);
    const wrong = (all as readonly (Wrong | undefined)[]).find((one) => one !== undefined);
    if (wrong !== undefined || this.#rejections.length === 0) return wrong;
    return { kind: "a rejection is not handled", detail: Deno.inspect(this.#rejections[0]) };
  }

  async #checkOne(program: Program): Promise<Wrong | undefined> {
    try {
      return await this.#wrongWith(program);
    } catch (error) {
      return { kind: "an exception leaves the application", detail: Deno.inspect(error) };
    }
  }

  async #wrongWith(program: Program): Promise<Wrong | undefined> {
    const running = new RunningProgram(program, this.#faulty);
    const first = await inTime(running.ask());
    if (first === null) return { kind: "a request hangs", detail: `within ${PATIENCE_MS} ms` };
    if (program.leavesAfterMs !== null) return wrongAfterLeaving(running, first.seen);
    const wrong = wrongIn(program, first.got, first.seen) ?? wrongCount(running, first.got);
    const cookie = sessionCookies(first.got)[0];
    if (wrong !== undefined || cookie === undefined || ENDINGS[program.ending]!.changesSession) return wrong;
    const second = await inTime(running.ask(cookie.split(";")[0]));
    if (second === null || second.seen.visits === 0 || second.seen.visits === 2) return undefined;
    return { kind: "a session is lost", detail: `${second.seen.visits} visits after the second` };
  }

  *simpler(program: Program): Generator<Program> {
    for (const middleware of shorter(program.middleware)) yield { ...program, middleware };
    if (program.errors !== null) yield { ...program, errors: null };
    if (program.leavesAfterMs !== null) yield { ...program, leavesAfterMs: null };
    if (program.method !== "GET") yield { ...program, method: "GET", sent: "nothing" };
    if (program.coding !== "identity") yield { ...program, coding: "identity" };
    const now = program.middleware.findIndex(({ level }) => level !== "app");
    if (now !== -1) yield { ...program, middleware: program.middleware.map(({ name }) => ({ name, level: "app" })) };
    for (const ending of ["short", "written"]) if (program.ending !== ending) yield { ...program, ending };
  }

  print(steps: readonly Program[]): string {
    return steps.map((program) => `await new RunningProgram(${JSON.stringify(program)}).ask();`).join("\n");
  }

  [Symbol.dispose](): void {
    removeEventListener("unhandledrejection", this.#note);
  }
}

function randomProgram(pick: Pick): Program {
  const names = new Set(Array.from({ length: 1 + pick(MOST_MIDDLEWARE) }, () => oneOf(pick, NAMES)));
  const middleware: Mounted[] = [];
  let level = 0;
  for (const name of names) {
    if (pick(3) === 0) level = Math.min(level + 1, LEVELS.length - 1);
    const role = ROLES.find((one) => one.test(name));
    const isTaken = role !== undefined && middleware.some((other) => role.test(other.name));
    if (!isTaken) middleware.push({ name, level: LEVELS[level]! });
  }
  const errors = pick(3) === 0
    ? null
    : { name: oneOf(pick, Object.keys(ERROR_HANDLERS)), level: oneOf(pick, ["app", "router", "inner"] as const) };
  const ending = oneOf(pick, Object.keys(ENDINGS));
  return {
    middleware,
    errors,
    ending,
    // whether HEAD reads a body that fails is not specified
    method: oneOf(pick, ["GET", "GET", "GET", "POST", ENDINGS[ending]!.isCut ? "GET" : "HEAD"]),
    sent: oneOf(pick, ["nothing", "form", "files"]),
    coding: oneOf(pick, ["identity", "gzip", "br", "zstd"]),
    leavesAfterMs: oneOf(pick, [null, null, null, 0, 1, SHORT_MS, SHORT_MS + 1]),
  };
}

async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), PATIENCE_MS));
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

function wrongIn(program: Program, got: Got, seen: Seen): Wrong | undefined {
  const { lines, events, errors } = seen;
  const isCut = got.body === null;
  if (lines.length !== 1) return { kind: "a request has not one log line", detail: `${lines.length} lines` };
  if (!isCut && lines[0]!.status !== got.status) {
    return { kind: "the log has another status", detail: `${lines[0]!.status}, and the client ${got.status}` };
  }
  if (lines[0]!.aborted !== isCut) {
    return { kind: "the log is wrong about the end", detail: isCut ? "the response was cut" : "it was whole" };
  }
  const order = events.join();
  if (order !== "finish,close" && !(isCut && order === "close")) return { kind: "wrong events", detail: order };
  if (seen.called > 1) return { kind: "a handler runs twice", detail: `${seen.called} times` };
  // listeners run in the context of what ends the response, which may be the timeout's
  const lost = seen.lost.filter((when) => when !== "in a listener" || !has(program.middleware, "shortTimeout"));
  if (lost.length > 0) return { kind: "the context is lost", detail: lost.join() };
  if (errors.length > 0) return { kind: "an error is reported that was not planted", detail: errors.join("\n") };
  return seen.called === 0 ? undefined : wrongCookie(program, got, seen) ?? wrongBody(program, got, seen);
}

function wrongAfterLeaving(running: RunningProgram, { lines, events, errors, called }: Seen): Wrong | undefined {
  if (lines.length !== 1) return { kind: "a request has not one log line", detail: `${lines.length} lines` };
  if (events.filter((event) => event === "close").length !== 1) return { kind: "wrong events", detail: events.join() };
  if (called > 1) return { kind: "a handler runs twice", detail: `${called} times` };
  if (errors.length > 0) return { kind: "an error is reported that was not planted", detail: errors.join("\n") };
  const active = running.samples("http_server_active_requests");
  return active.length === 0 ? undefined : { kind: "a request stays in flight", detail: active.join() };
}

function wrongCount(running: RunningProgram, { status, body }: Got): Wrong | undefined {
  const counts = running.samples("http_server_request_duration_seconds_count");
  const isRight = counts.length === 1 && counts[0]!.endsWith(" 1") &&
    (body === null || counts[0]!.includes(`status_code="${status}"`));
  if (!isRight) return { kind: "a request is not counted once", detail: `${counts.join()}, the client got ${status}` };
  const active = running.samples("http_server_active_requests");
  return active.length === 0 ? undefined : { kind: "a request stays in flight", detail: active.join() };
}

function wrongCookie({ middleware, ending }: Program, got: Got, { visits }: Seen): Wrong | undefined {
  if (visits === 0 || has(middleware, "failingSession") || got.body === null || ENDINGS[ending]!.changesSession) {
    return undefined;
  }
  const cookies = sessionCookies(got);
  if (cookies.length !== 1) return { kind: "a session has not one cookie", detail: `${cookies.length} cookies` };
  const vary = got.headers.get("vary") ?? "";
  return /\bcookie\b/i.test(vary) ? undefined : { kind: "a session's response is cached for all", detail: vary };
}

function wrongBody(program: Program, got: Got, seen: Seen): Wrong | undefined {
  // what fails or is too slow gets the error handler's response
  if (isTimeout(program, got)) return undefined;
  if (has(program.middleware, "failingSession") && seen.visits > 0) return wrongFailure(program, got);
  const { middleware, ending, errors, method, sent } = program;
  const { status = 200, body, fails, setsCookie } = ENDINGS[ending]!;
  const expected = fails && errors !== null ? "error: planted" : body;
  if (body !== undefined || fails) {
    if (got.status !== status) return { kind: "a wrong status", detail: `${got.status} instead of ${status}` };
  }
  if (expected !== undefined && got.body !== (method === "HEAD" ? "" : expected)) {
    return { kind: "a wrong body", detail: `${shown(got.body)} instead of ${shown(expected)}` };
  }
  const own = got.headers.getSetCookie().filter((cookie) => cookie.startsWith("own="));
  if (setsCookie && own.length !== 1) return { kind: "a handler's cookie is not sent once", detail: `${own.length}` };
  const isRead = has(middleware, "upload") && method === "POST" && sent === "files";
  if (isRead && seen.field !== "value") return { kind: "an upload has no fields", detail: Deno.inspect(seen.field) };
  return undefined;
}

// nothing of the handler's response may be left
function wrongFailure({ method, middleware, ending }: Program, { status, body, headers }: Got): Wrong | undefined {
  // the handler may have nothing left to save, or catch the failure
  if (ENDINGS[ending]!.changesSession || ending === "savedAndWritten") return undefined;
  if (body === null || has(middleware, "shortTimeout")) return undefined;
  if (status !== 500) return { kind: "a session cannot be saved, but the status is another", detail: `${status}` };
  const isTheirs = body.includes("planted: no store") || (method === "HEAD" && body === "");
  if (!isTheirs) return { kind: "a session cannot be saved, but the body is another", detail: shown(body) };
  const etag = headers.get("etag");
  const length = Number.parseInt(etag?.match(/"([\da-f]+)-/)?.[1] ?? "", 16);
  if (method === "HEAD" || etag === null || length === body.length) return undefined;
  return { kind: "an error has the tag of another response", detail: etag };
}

function shown(body: string | null): string {
  return body === null ? "a cut body" : JSON.stringify(body.length > 60 ? `${body.slice(0, 60)}…` : body);
}

function isTimeout({ middleware }: Program, { status }: Got): boolean {
  return status === 503 && has(middleware, "shortTimeout");
}

function has(middleware: readonly Mounted[], wanted: string): boolean {
  return middleware.some(({ name }) => name === wanted);
}

function sessionCookies({ headers }: Got): string[] {
  return headers.getSetCookie().filter((cookie) => cookie.startsWith("session="));
}

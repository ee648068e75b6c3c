import { describe, warnInDevelopment } from "@sluice/shared";
import type { Request } from "@sluice/sluice";
import type { KeptCookie } from "../cookies/kept_cookie.ts";
import { type Exchange, holdResponse, type ResponseHooks } from "./hold_response.ts";
import type { FoundSession, KeptSession, SessionKeeper } from "./session_keeper.ts";
import { RequestSession, type SessionActions } from "./request_session.ts";

/** Settings shared by all of a middleware's sessions. */
export interface SessionSettings {
  /** How they are stored. */
  readonly keeper: SessionKeeper;
  /** Their cookie. */
  readonly cookie: KeptCookie;
  /** Lifetime of a session after its last write, in ms. */
  readonly ttlMs: number;
  /** Maximum lifetime of a session in ms. */
  readonly absoluteTtlMs: number;
  /** Whether every response prolongs it. */
  readonly rolling: boolean;
  /** Lifetime of the cookie in ms; `null` until the browser is closed. */
  readonly maxAge: number | null;
  /** Current time in ms. */
  readonly clock: () => number;
}

/** An empty session's content. */
const EMPTY = "[{},[]]";

/** One request's session: its content, and whether the content needs saving. */
export class LiveSession implements ResponseHooks, SessionActions {
  readonly #settings: SessionSettings;
  readonly #exchange: Exchange;
  readonly #object: RequestSession;
  #kept: KeptSession | null;
  /** The stored content. */
  #content: string;
  #flash: [kind: string, message: string][] = [];
  /** Its cookie's lifetime, which the program may have chosen. */
  #maxAge: number | null;
  /** Whether to save it even if nothing has changed. */
  #isDue: boolean;
  /** Sessions to delete. */
  #dropped: KeptSession[] = [];
  /** The program's pending saves and deletions. */
  #begun: Promise<unknown> | null = null;
  #isUsed = false;
  #isSent = false;
  /** Value for the cookie; `null` if the client must delete it, `undefined` if it stays unchanged. */
  #cookie: string | null | undefined = undefined;

  /**
   * @param settings Settings for all sessions
   * @param exchange The request
   * @param found The session its cookie identifies, if any
   */
  constructor(settings: SessionSettings, exchange: Exchange, found: FoundSession | null) {
    this.#settings = settings;
    this.#exchange = exchange;
    this.#kept = found;
    this.#maxAge = settings.maxAge;
    this.#object = new RequestSession(this);
    this.#isDue = found !== null && (settings.rolling || found.isStale);
    this.#content = found === null ? EMPTY : this.#load(found.content);
    if (this.#isDue) this.#use();
  }

  /** The handlers' `req.session`. */
  get object(): RequestSession {
    this.#use();
    return this.#object;
  }

  /** Its id. */
  get id(): string {
    return this.#ensureKept().id;
  }

  /** Whether it is not stored yet. */
  get isNew(): boolean {
    return this.#kept?.isNew ?? true;
  }

  get maxAge(): number | null {
    return this.#maxAge;
  }

  set maxAge(ms: number | null) {
    const { absoluteTtlMs } = this.#settings;
    if (ms !== null && !(typeof ms === "number" && ms >= 1 && ms <= absoluteTtlMs)) {
      throw new RangeError(
        `req.session.cookie.maxAge must be from 1 to ${absoluteTtlMs} (absoluteTtlMs), not ${describe(ms)}`,
      );
    }
    this.#maxAge = ms;
  }

  now(): number {
    return this.#settings.clock();
  }

  /**
   * Empties it, forgets its id, and deletes it from the store.
   *
   * @param caller The caller for warnings
   */
  async drop(caller: string): Promise<void> {
    if (!this.#settings.keeper.isApart && this.#isSent && !this.isNew) {
      throw new Error(
        "req.session: the response has begun, and can no longer delete the cookie that holds the session",
      );
    }
    this.empty(caller);
    await this.#begin(this.#deleteDropped());
  }

  /**
   * Empties it, forgets its id, and deletes it from the store before the response is sent.
   *
   * @param caller The caller for warnings
   */
  empty(caller: string): void {
    this.#use();
    if (this.#kept !== null && !this.#kept.isNew) {
      if (!this.#settings.keeper.isApart) warnOfCopies(this.#exchange.req.app, caller);
      this.#dropped.push(this.#kept);
      this.#cookie = null;
    }
    this.#kept = null;
    this.#isDue = false;
    this.#content = this.#load([{}, []]);
  }

  /** Saves it now, if it needs saving at all. */
  async save(): Promise<void> {
    const { keeper } = this.#settings;
    if (this.#isSent && (!keeper.isApart || this.isNew)) throw tooLate();
    await this.#begin(this.#finish());
    // a response that waits for this gets the cookie later
    if (!this.#exchange.res.headersSent) this.#writeCookie();
  }

  /** Reads it from the store again. */
  async reload(): Promise<void> {
    const { keeper } = this.#settings;
    if (!keeper.isApart) throw new Error("req.session.reload() needs option store");
    await this.#begun;
    const found = this.#kept && await keeper.find(this.#kept.token, "");
    if (found === null) throw new Error("req.session.reload(): the session has ended");
    this.#content = this.#load(found.content);
  }

  /** Saves it with the response, even if nothing changes. */
  touch(): void {
    this.#isDue = true;
  }

  /**
   * Adds messages for the next request that reads them.
   *
   * @param kind Their kind
   * @param messages The messages
   */
  addFlash(kind: string, messages: readonly string[]): void {
    this.#use();
    for (const message of messages) this.#flash.push([kind, message]);
  }

  /**
   * Reads and removes messages.
   *
   * @param kind Their kind; all messages if it is `undefined`
   */
  takeFlash(kind: string | undefined): [kind: string, message: string][] {
    this.#use();
    const isMeant = ([one]: [string, string]): boolean => kind === undefined || one === kind;
    const taken = this.#flash.filter(isMeant);
    this.#flash = this.#flash.filter((one) => !isMeant(one));
    return taken;
  }

  beforeHead(): Promise<void> | undefined {
    if (this.#begun === null && this.#dropped.length === 0 && !this.#mustKeep()) return undefined;
    return this.#finish();
  }

  atHead(): void {
    this.#isSent = true;
    const { res } = this.#exchange;
    // the response depends on the client's own session
    res.vary("Cookie");
    this.#writeCookie();
  }

  beforeEnd(): Promise<void> | undefined {
    const { isApart } = this.#settings.keeper;
    if (isApart && !this.isNew) return this.#mustKeep() ? this.#finish() : undefined;
    if (this.#contentNow() !== this.#content || (!isApart && this.#dropped.length > 0)) {
      const { req } = this.#exchange;
      req.app.reportError(tooLate(), { req, phase: "response" });
    }
    return this.#dropped.length > 0 ? this.#deleteDropped() : undefined;
  }

  failed(error: unknown): void {
    this.#exchange.next(error);
  }

  #use(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    this.#isSent = this.#exchange.res.headersSent;
    holdResponse(this.#exchange.res, this);
  }

  /** Replaces everything in it, and returns its content. */
  #load(content: unknown): string {
    const [data, flash, maxAge = this.#settings.maxAge] = content as [object, [string, string][], (number | null)?];
    this.#flash = flash;
    this.#maxAge = maxAge;
    for (const name of Object.keys(this.#object)) Reflect.deleteProperty(this.#object, name);
    // defined, because assigning `__proto__` could set the prototype
    Object.defineProperties(this.#object, Object.getOwnPropertyDescriptors(data));
    return this.#contentNow();
  }

  #ensureKept(): KeptSession {
    return this.#kept ??= this.#settings.keeper.begin();
  }

  #contentNow(): string {
    try {
      const content = JSON.stringify([this.#object, this.#flash]);
      // a lifetime alone begins no session
      const isOwn = this.#maxAge !== this.#settings.maxAge && content !== EMPTY;
      return isOwn ? `${content.slice(0, -1)},${this.#maxAge}]` : content;
    } catch (cause) {
      throw new TypeError("req.session: session data must be JSON", { cause });
    }
  }

  #mustKeep(): boolean {
    return (this.#isDue && !this.isNew) || this.#contentNow() !== this.#content;
  }

  async #finish(): Promise<void> {
    await this.#begun;
    await this.#deleteDropped();
    if (this.#mustKeep()) await this.#keep();
  }

  // The caller gets the failure; the response only waits.
  #begin<T>(work: Promise<T>): Promise<T> {
    const done = Promise.allSettled([this.#begun, work]);
    this.#begun = done;
    return work;
  }

  async #deleteDropped(): Promise<void> {
    await Promise.all(this.#dropped.splice(0).map((session) => this.#settings.keeper.drop(session)));
  }

  async #keep(): Promise<void> {
    const { keeper, cookie } = this.#settings;
    const kept = this.#ensureKept();
    const content = this.#contentNow();
    const isChanged = content !== this.#content || kept.isNew;
    this.#content = content;
    this.#isDue = false;
    const name = cookie.nameFor(this.#exchange.req);
    const value = await keeper[isChanged ? "keep" : "renew"](kept, content, this.#lifetimeOf(kept), name);
    // if another request has destroyed it, that request has cleared the cookie
    if (value !== null && this.#kept === kept) this.#cookie = value;
  }

  #writeCookie(): void {
    if (this.#cookie === undefined) return;
    const { cookie } = this.#settings;
    const { req, res } = this.#exchange;
    const value = this.#cookie;
    this.#cookie = undefined;
    if (value === null) return cookie.clear(req, res);
    cookie.write(req, res, value, this.#maxAge === null ? undefined : this.#lifetimeOf(this.#kept!));
  }

  // a request may outlast its session
  #lifetimeOf({ created }: KeptSession): number {
    const { ttlMs, absoluteTtlMs, clock } = this.#settings;
    return Math.max(1, Math.ceil(Math.min(this.#maxAge ?? ttlMs, created + absoluteTtlMs - clock())));
  }
}

/** Applications whose developers know. */
const warned = new WeakSet<object>();

// a program that was written for a store, such as express-session's, expects that the session is over everywhere
function warnOfCopies(app: Request["app"], caller: string): void {
  if (warned.has(app)) return;
  warned.add(app);
  warnInDevelopment(
    app,
    `${caller} deletes this client's cookie, but copies of it stay valid until they expire, because it holds the ` +
      "session itself; to end a session everywhere, keep it in a store: session({ store: new MemorySessionStore() }), " +
      "or RedisSessionStore for several processes",
  );
}

function tooLate(): Error {
  return new Error(
    "req.session was changed after the response head, and its cookie with it, had been sent: change it before, or " +
      "call req.session.save() before the response begins",
  );
}

import { sha256, utf8Bytes } from "@sluice/shared";
import { randomText, toBase64url } from "../cookies/base64url.ts";
import type { FoundSession, KeptSession, SessionKeeper } from "./session_keeper.ts";
import type { SessionStore } from "./session_store.ts";

const TOKEN_BYTES = 32;
/** A token as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** Sessions in a store; their cookies hold 256 random bits. */
export class StoredSessions implements SessionKeeper {
  readonly isApart = true;
  readonly #store: SessionStore;
  readonly #clock: () => number;
  readonly #timeoutMs: number | undefined;

  /**
   * @param store The store
   * @param clock Current time in ms
   * @param timeoutMs Timeout for a store call in ms
   */
  constructor(store: SessionStore, clock: () => number, timeoutMs: number | undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  begin(): KeptSession {
    const token = randomText(TOKEN_BYTES);
    return { id: idOf(token), token, created: this.#clock(), isNew: true };
  }

  async find(token: string): Promise<FoundSession | null> {
    if (!TOKEN.test(token)) return null;
    const id = idOf(token);
    const text = await this.#inTime(this.#store.get(id));
    if (typeof text !== "string") return null;
    const [created, content] = JSON.parse(text);
    return { id, token, created, isNew: false, content, isStale: false };
  }

  async keep(session: KeptSession, content: string, ttlMs: number): Promise<string | null> {
    const { id, token, created, isNew } = session;
    if (!await this.#inTime(this.#store.set(id, `[${created},${content}]`, { ttlMs, isNew }))) return null;
    session.isNew = false;
    return token;
  }

  async renew({ id, token }: KeptSession, _content: string, ttlMs: number): Promise<string | null> {
    return await this.#inTime(this.#store.touch(id, ttlMs)) ? token : null;
  }

  async drop({ id }: KeptSession): Promise<void> {
    await this.#inTime(this.#store.destroy(id));
  }

  async #inTime<T>(reply: Promise<T>): Promise<T> {
    const ms = this.#timeoutMs;
    if (ms === undefined) return await reply;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`session: the store did not reply within ${ms} ms (option timeoutMs)`);
        reject(Object.assign(error, { status: 503 }));
      }, ms);
    });
    try {
      return await Promise.race([reply, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function idOf(token: string): string {
  return toBase64url(sha256(utf8Bytes(token)));
}

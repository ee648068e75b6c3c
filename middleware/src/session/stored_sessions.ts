import { sha256, utf8Bytes } from "@sluice/limiting/core";
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

  /**
   * @param store The store
   * @param clock The present time in ms
   */
  constructor(store: SessionStore, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  begin(): KeptSession {
    const token = randomText(TOKEN_BYTES);
    return { id: idOf(token), token, created: this.#clock(), isNew: true };
  }

  async find(token: string): Promise<FoundSession | null> {
    if (!TOKEN.test(token)) return null;
    const id = idOf(token);
    const text = await this.#store.get(id);
    if (typeof text !== "string") return null;
    const [created, content] = JSON.parse(text);
    return { id, token, created, isNew: false, content, isStale: false };
  }

  async keep(session: KeptSession, content: string, ttlMs: number): Promise<string | null> {
    const { id, token, created, isNew } = session;
    if (!await this.#store.set(id, `[${created},${content}]`, { ttlMs, isNew })) return null;
    session.isNew = false;
    return token;
  }

  async renew({ id, token }: KeptSession, _content: string, ttlMs: number): Promise<string | null> {
    return await this.#store.touch(id, ttlMs) ? token : null;
  }

  async drop({ id }: KeptSession): Promise<void> {
    await this.#store.destroy(id);
  }
}

function idOf(token: string): string {
  return toBase64url(sha256(utf8Bytes(token)));
}

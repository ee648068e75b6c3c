import { utf8Bytes } from "@sluice/limiting/core";
import { fromBase64url, randomText, toBase64url } from "../cookies/base64url.ts";
import type { FoundSession, KeptSession, SessionKeeper } from "./session_keeper.ts";

/** Version of the format: its first byte. */
const VERSION = 1;
const KEY_ID_BYTES = 4;
const SALT_BYTES = 24;
const HEAD_BYTES = 1 + KEY_ID_BYTES + SALT_BYTES;
const TAG_BYTES = 16;
const ID_BYTES = 16;

/** What a secret is used for: to name itself, and to make the keys of cookies. */
const ID_INFO = utf8Bytes("sluice sealed session id");
const COOKIE_INFO = utf8Bytes("sluice sealed session cookie");

const AES = { name: "AES-GCM", length: 256 };

/** Each key seals one cookie, so that its IV need not differ from another's. */
const IV = new Uint8Array(12);

/** What seals, made of a secret. */
interface Sealer {
  readonly id: Uint8Array;
  /** What keys of cookies are derived from. */
  readonly material: CryptoKey;
}

/**
 * Sessions inside their cookies, sealed with AES-256-GCM.
 *
 * A cookie is a version, the id of the secret, a salt of 192 random bits, and the sealed JSON of when it expires, when
 * the session began, its id, and what is in it. Version, id and the cookie's name are authenticated, too, so that the
 * cookie of one middleware is nothing to another.
 *
 * Each cookie has a key of its own, which HKDF (RFC 5869) derives from the secret and the salt. One key for all with
 * random IVs of 96 bits may seal 2^32 cookies (NIST SP 800-38D section 8.3); salts of 192 bits are as unlikely to be
 * equal after 2^80.
 */
export class SealedSessions implements SessionKeeper {
  readonly isApart = false;
  readonly #secrets: readonly string[];
  readonly #clock: () => number;
  #sealers: Promise<Sealer[]> | null = null;

  /**
   * @param secrets The first seals, all unseal
   * @param clock The present time in ms
   */
  constructor(secrets: readonly string[], clock: () => number) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  begin(): KeptSession {
    return { id: randomText(ID_BYTES), token: "", created: this.#clock(), isNew: true };
  }

  async find(value: string, name: string): Promise<FoundSession | null> {
    const bytes = fromBase64url(value);
    if (bytes === null || bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
    const sealers = await this.#allSealers();
    const index = sealers.findIndex(({ id }) => id.every((byte, i) => byte === bytes[1 + i]));
    if (index === -1) return null;
    const head = bytes.subarray(0, HEAD_BYTES);
    let text: ArrayBuffer;
    try {
      const key = await keyFor(sealers[index]!, head);
      text = await crypto.subtle.decrypt(algorithm(head, name), key, bytes.subarray(HEAD_BYTES));
    } catch {
      // it was tampered with, or has another name: the client has no session
      return null;
    }
    const [expires, created, id, content] = JSON.parse(new TextDecoder().decode(text));
    if (expires <= this.#clock()) return null;
    return { id, token: "", created, isNew: false, content, isStale: index > 0 };
  }

  async keep(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string> {
    const text = `[${this.#clock() + ttlMs},${session.created},"${session.id}",${content}]`;
    const [sealer] = await this.#allSealers() as [Sealer];
    const head = new Uint8Array(HEAD_BYTES);
    head[0] = VERSION;
    head.set(sealer.id, 1);
    crypto.getRandomValues(head.subarray(1 + KEY_ID_BYTES));
    const key = await keyFor(sealer, head);
    const sealed = await crypto.subtle.encrypt(algorithm(head, name), key, utf8Bytes(text));
    session.isNew = false;
    const bytes = new Uint8Array(HEAD_BYTES + sealed.byteLength);
    bytes.set(head);
    bytes.set(new Uint8Array(sealed), HEAD_BYTES);
    return toBase64url(bytes);
  }

  renew(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string> {
    return this.keep(session, content, ttlMs, name);
  }

  drop(): Promise<void> {
    return Promise.resolve();
  }

  #allSealers(): Promise<Sealer[]> {
    return this.#sealers ??= Promise.all(this.#secrets.map(sealerOf));
  }
}

function algorithm(head: Uint8Array<ArrayBuffer>, name: string): AesGcmParams {
  const named = utf8Bytes(name);
  const additionalData = new Uint8Array(1 + KEY_ID_BYTES + named.length);
  additionalData.set(head.subarray(0, 1 + KEY_ID_BYTES));
  additionalData.set(named, 1 + KEY_ID_BYTES);
  return { name: "AES-GCM", iv: IV, additionalData };
}

async function keyFor({ material }: Sealer, head: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const algorithm = hkdf(head.slice(1 + KEY_ID_BYTES), COOKIE_INFO);
  return await crypto.subtle.deriveKey(algorithm, material, AES, false, ["encrypt", "decrypt"]);
}

async function sealerOf(secret: string): Promise<Sealer> {
  const material = await crypto.subtle.importKey("raw", utf8Bytes(secret), "HKDF", false, ["deriveBits", "deriveKey"]);
  const id = await crypto.subtle.deriveBits(hkdf(new Uint8Array(), ID_INFO), material, KEY_ID_BYTES * 8);
  return { id: new Uint8Array(id), material };
}

function hkdf(salt: Uint8Array<ArrayBuffer>, info: Uint8Array<ArrayBuffer>): HkdfParams {
  return { name: "HKDF", hash: "SHA-256", salt, info };
}

import { hmacSha256, utf8Bytes } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import { fromBase64url, randomText, toBase64url } from "../cookies/base64url.ts";
import type { KeptCookie } from "../cookies/kept_cookie.ts";
import { equalBytes, SECRET_BYTES } from "./masked_token.ts";

/** Stores the secret for a client's tokens. */
export interface TokenSecrets {
  /** Returns the client's secret, `undefined` if it has none. */
  find(req: Request): string | undefined;
  /** Returns the client's secret; if it has none, creates a secret that its next request will carry. */
  ensure(req: Request, res: Response): string;
}

/** In the session. */
export class SessionSecrets implements TokenSecrets {
  find(req: Request): string | undefined {
    const { csrfSecret } = sessionOf(req);
    return typeof csrfSecret === "string" ? csrfSecret : undefined;
  }

  ensure(req: Request): string {
    return sessionOf(req).csrfSecret ??= randomText(SECRET_BYTES);
  }
}

function sessionOf(req: Request): { csrfSecret?: string } {
  // of any type that the program declares
  const session: unknown = req.session;
  if (typeof session === "object" && session !== null) return session;
  throw new Error('csrf: with option token "session", session() must be registered before csrf()');
}

/** In its own cookie, signed so that it cannot be forged. */
export class CookieSecrets implements TokenSecrets {
  readonly #cookie: KeptCookie;
  readonly #keys: readonly Uint8Array[];
  /** Secrets sent with the responses to these requests. */
  readonly #sent = new WeakMap<Request, string>();

  /**
   * @param cookie The cookie
   * @param secrets The first secret signs, all verify
   */
  constructor(cookie: KeptCookie, secrets: readonly string[]) {
    this.#cookie = cookie;
    this.#keys = secrets.map(utf8Bytes);
  }

  find(req: Request): string | undefined {
    return this.#verified(req)?.secret;
  }

  ensure(req: Request, res: Response): string {
    const sent = this.#sent.get(req);
    if (sent !== undefined) return sent;
    const found = this.#verified(req);
    const secret = found?.secret ?? randomText(SECRET_BYTES);
    const signature = this.#sign(this.#keys[0]!, secret, req);
    if (!found?.isFresh) this.#cookie.write(req, res, `${secret}.${toBase64url(signature)}`);
    this.#sent.set(req, secret);
    return secret;
  }

  #verified(req: Request): { secret: string; isFresh: boolean } | undefined {
    const [secret = "", text = "", ...rest] = this.#cookie.read(req)?.split(".") ?? [];
    const signature = fromBase64url(text);
    if (signature === null || signature.length === 0 || rest.length > 0) return undefined;
    const index = this.#keys.findIndex((key) => equalBytes(this.#sign(key, secret, req), signature));
    return index === -1 ? undefined : { secret, isFresh: index === 0 };
  }

  // includes the cookie's name, so that no other cookie signed with the same secret passes for it
  #sign(key: Uint8Array, secret: string, req: Request): Uint8Array {
    return hmacSha256(key, utf8Bytes(`${this.#cookie.nameFor(req)}=${secret}`));
  }
}

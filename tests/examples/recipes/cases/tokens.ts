/** The program's own tokens, and their key rotation. */
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import { assert, assertEquals } from "@std/assert";
import { type Ask, type Chapter, chapter, json } from "../../../contracts/case.ts";
import { ISSUER, type Setting } from "../setting.ts";

async function login(ask: Ask, at: string, body: unknown = { name: "ann", password: "correct" }): Promise<Response> {
  return await ask(`/tokens/${at}/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function tokenOf(ask: Ask, at: string): Promise<string> {
  return (await (await login(ask, at)).json()).access_token;
}

async function me(ask: Ask, at: string, token: string): Promise<readonly [status: number, challenge: string | null]> {
  const response = await ask(`/tokens/${at}/me`, { headers: { authorization: `Bearer ${token}` } });
  await response.body?.cancel();
  return [response.status, response.headers.get("www-authenticate")];
}

const PASSES = [200, null] as const;
const REFUSED = [401, 'Bearer error="invalid_token"'] as const;

function encoded(value: object | string): string {
  const bytes = new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  return btoa(String.fromCharCode(...bytes)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
}

/** Tokens that must be refused, by their flaw. */
async function hostile(good: string, key: JWK): Promise<Record<string, string>> {
  const own = await importJWK(key, "ES256");
  const { privateKey: stranger } = await generateKeyPair("ES256");
  const claims: JWTPayload = decodeJwt(good);
  const [head, body, signature] = good.split(".") as [string, string, string];
  const made = (other: object = {}, header: object = {}, by: CryptoKey | Uint8Array = own) =>
    new SignJWT({ ...claims, ...other })
      .setProtectedHeader({ alg: "ES256", kid: key.kid!, typ: "at+jwt", ...header }).sign(by);
  const byPublicKey = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(JSON.stringify({ kty: key.kty, crv: key.crv, x: key.x, y: key.y })),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const confused = `${encoded({ alg: "HS256", kid: key.kid, typ: "at+jwt" })}.${body}`;
  const mac = await crypto.subtle.sign("HMAC", byPublicKey, new TextEncoder().encode(confused));
  const admin = encoded({ ...claims, sub: "admin" });
  const now = Math.floor(Date.now() / 1000);
  return {
    "it has expired": await made({ exp: now - 1 }),
    "it never expires": await made({ exp: undefined }),
    "it is not valid yet": await made({ nbf: now + 600 }),
    "it has no subject": await made({ sub: undefined }),
    "somebody else issued it": await made({ iss: "https://evil.test/" }),
    "it is for somebody else": await made({ aud: "https://other.test/" }),
    "somebody else signed it": await made({}, {}, stranger),
    "it brings its own key": await made({}, { jwk: { kty: "EC" }, jku: "https://evil.test/keys" }, stranger),
    "its key is unknown": await made({}, { kid: "../../dev/null" }),
    "it is of another type, as an ID token is": await made({}, { typ: "JWT" }),
    "it is not signed": `${encoded({ alg: "none", typ: "at+jwt" })}.${body}.`,
    "it is not signed, in capitals": `${encoded({ alg: "NONE", typ: "at+jwt" })}.${admin}.`,
    "its signature is empty": `${head}.${body}.`,
    "its signature is zero": `${head}.${body}.${encoded("\0".repeat(64))}`,
    "the public key is its secret": `${confused}.${encoded(String.fromCharCode(...new Uint8Array(mac)))}`,
    "its claims were changed": `${head}.${admin}.${signature}`,
    "it is cut off": good.slice(0, -3),
    "it is no token": "abc",
  };
}

/** The cases; they use the keys for forgeries. */
export function tokens({ keys: [old, current] }: Setting): Chapter {
  return chapter("tokens", (it) => {
    it("a login gets a token that the API accepts, and that no cache keeps", async ({ ask }) => {
      const response = await login(ask, "before");
      assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"]);
      const { access_token, token_type, expires_in } = await response.json();
      assertEquals([token_type, expires_in], ["Bearer", 900]);
      assertEquals(decodeProtectedHeader(access_token), { alg: "ES256", kid: old.kid!, typ: "at+jwt" });
      const { iat = 0, exp = 0, jti, ...claims } = decodeJwt(access_token);
      assertEquals([exp - iat, typeof jti, claims], [900, "string", {
        iss: ISSUER.issuer,
        aud: ISSUER.audience,
        sub: "user-1",
      }]);
      const headers = { authorization: `Bearer ${access_token}` };
      assertEquals(await json(ask, "/tokens/before/me", { headers }), { user: "user-1" });
    });

    it("a wrong login gets none, whatever it sends", async ({ ask }) => {
      const wrong = [{ name: "ann", password: "wrong" }, { name: { $ne: "" }, password: ["correct"] }, [], {}];
      for (const body of wrong) {
        const response = await login(ask, "after", body);
        assertEquals([response.status, (await response.text()).includes("access_token")], [401, false]);
      }
    });

    it("the keys that everybody may read have nothing that is secret, and are enough to check a token", async (visit) => {
      const { ask, origin } = visit;
      const path = "/tokens/published/.well-known/jwks.json";
      const { keys } = await json(ask, path) as { keys: Record<string, unknown>[] };
      assertEquals(keys.map((key) => Object.keys(key).sort().join()), Array(2).fill("alg,crv,kid,kty,use,x,y"));
      const remote = createRemoteJWKSet(new URL(origin + path));
      const { payload } = await jwtVerify(await tokenOf(ask, "published"), remote, ISSUER);
      assertEquals(payload.sub, "user-1");
    });

    it("keys rotate without a token that is refused before it has expired", async ({ ask }) => {
      const [before, published, rotated] = [
        await tokenOf(ask, "before"),
        await tokenOf(ask, "published"),
        await tokenOf(ask, "rotated"),
      ];
      assertEquals([published, rotated].map((one) => decodeProtectedHeader(one).kid), [old.kid!, current.kid!]);
      const accepted = [["published", before], ["rotated", before], ["rotated", published], ["published", rotated]];
      for (const [at, token] of [...accepted, ["after", rotated]]) assertEquals(await me(ask, at!, token!), PASSES, at);
      // a removed key, such as a stolen one, is worthless
      assertEquals(await me(ask, "after", before), REFUSED);
    });

    it("every other token is refused, with the challenge of RFC 6750", async ({ ask }) => {
      const good = await tokenOf(ask, "before");
      for (const [why, token] of Object.entries(await hostile(good, old))) {
        assertEquals(await me(ask, "before", token), REFUSED, why);
      }
      for (const authorization of ["Basic YTpi", "Bearer", `Bearer ${good} ${good}`, `Bearer ${good},Bearer x`, good]) {
        const { status, headers } = await ask("/tokens/before/me", { headers: { authorization } });
        assertEquals([status, headers.get("www-authenticate")], [401, "Bearer"], authorization);
      }
      const elsewhere = await ask(`/tokens/before/me?access_token=${good}`, { headers: { cookie: `token=${good}` } });
      assert(elsewhere.status === 401);
      assertEquals(await me(ask, "before", good), PASSES);
    });

    it("guessing passwords is limited", async ({ ask }) => {
      let last = 0;
      for (let i = 0; i < 12; i++) last = (await login(ask, "after", { name: "ann", password: `${i}` })).status;
      assertEquals(last, 429);
    });
  });
}

/** Tokens from a provider that publishes its keys. */
export function providedTokens({ keys: [old] }: Setting): Chapter {
  const ask = async (visit: { ask: Ask }, token: string) => {
    const { status, headers, body } = await visit.ask("/authentication/notes", {
      headers: { authorization: `Bearer ${token}` },
    });
    await body?.cancel();
    return [status, headers.get("www-authenticate")] as const;
  };
  const provided = async (scope: string) =>
    await new SignJWT({ scope }).setProtectedHeader({ alg: "ES256", kid: old.kid!, typ: "at+jwt" })
      .setIssuer(ISSUER.issuer).setAudience(ISSUER.audience).setSubject("ann").setExpirationTime("1m")
      .sign(await importJWK(old, "ES256"));

  return chapter("tokens of a provider", (it) => {
    it("one that the provider has signed passes, with the scope that is asked for", async (visit) => {
      assertEquals(await ask(visit, await provided("notes:write notes:read")), PASSES);
      assertEquals(await ask(visit, await provided("notes:readall")), [
        403,
        'Bearer error="insufficient_scope", scope="notes:read"',
      ]);
    });

    it("every other token is refused", async (visit) => {
      const { "it is of another type, as an ID token is": _, ...wrong } = await hostile(
        await provided("notes:read"),
        old,
      );
      for (const [why, token] of Object.entries(wrong)) assertEquals(await ask(visit, token), REFUSED, why);
    });
  });
}

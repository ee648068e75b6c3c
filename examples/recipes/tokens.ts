/** Self-issued access tokens (RFC 9068): issued at login, verified with rotatable public keys (RFC 7517). */
import sluice, { type FrameworkApp, type Handler, HttpError, rateLimit } from "@sluice/sluice";
import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from "jose";

const ALGORITHM = "ES256";
const TYPE = "at+jwt";
const LIFETIME_SECONDS = 15 * 60;

interface Issuer {
  /** Private keys. The first one signs; tokens signed by any of them are accepted. */
  keys: readonly JWK[];
  /** The issuer of the tokens, and their audience. */
  issuer: string;
  audience: string;
  /** Returns the user with this name and password; `undefined` if there is none. */
  login(name: string, password: string): Promise<string | undefined>;
}

/** Creates a private key, to store with the other secrets. */
export async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return { ...await exportJWK(privateKey), kid: crypto.randomUUID() };
}

export function makeApp({ keys, issuer, audience, login }: Issuer): FrameworkApp {
  const [signing] = keys;
  if (signing?.kid === undefined) throw new TypeError("The first key must have a kid");
  const privateKey = importJWK(signing, ALGORITHM);
  // listed by name, so that the private part `d` is never included
  const publicKeys = {
    keys: keys.map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid, alg: ALGORITHM, use: "sig" })),
  };
  const known = createLocalJWKSet(publicKeys as { keys: JWK[] });

  const signedIn: Handler = async (req, res, next) => {
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(req.get("authorization") ?? "")?.[1];
    if (token === undefined) throw new HttpError(401, undefined, { headers: { "WWW-Authenticate": "Bearer" } });
    // the algorithm and the type are fixed, whatever the token's header contains
    const accepted = { issuer, audience, algorithms: [ALGORITHM], typ: TYPE, requiredClaims: ["exp", "sub"] };
    try {
      res.locals["claims"] = (await jwtVerify(token, known, accepted)).payload;
    } catch (error) {
      const headers = { "WWW-Authenticate": 'Bearer error="invalid_token"' };
      throw new HttpError(401, undefined, { headers, cause: error });
    }
    next();
  };

  const app = sluice();
  app.get("/.well-known/jwks.json", (_req, res) => res.set("Cache-Control", "public, max-age=300").json(publicKeys));
  app.post("/login", rateLimit({ windowMs: 60_000, limit: 10 }), sluice.json({ limit: "1kb" }), async (req, res) => {
    const { name, password } = req.body ?? {};
    const isText = typeof name === "string" && typeof password === "string";
    const subject = isText ? await login(name, password) : undefined;
    if (subject === undefined) throw new HttpError(401, "Wrong name or password");
    const token = await new SignJWT().setProtectedHeader({ alg: ALGORITHM, kid: signing.kid!, typ: TYPE })
      .setIssuer(issuer).setAudience(audience).setSubject(subject).setJti(crypto.randomUUID())
      .setIssuedAt().setExpirationTime(`${LIFETIME_SECONDS}s`)
      .sign(await privateKey);
    res.set("Cache-Control", "no-store");
    res.json({ access_token: token, token_type: "Bearer", expires_in: LIFETIME_SECONDS });
  });
  app.get("/me", signedIn, (_req, res) => res.json({ user: res.locals["claims"].sub }));
  return app;
}

if (import.meta.main) {
  const { default: process } = await import("node:process");
  makeApp({
    keys: JSON.parse(process.env["SIGNING_KEYS"] ?? `[${JSON.stringify(await newKey())}]`),
    issuer: "https://login.example.com/",
    audience: "https://api.example.com/",
    login: (name, password) => Promise.resolve(name === "ann" && password === "correct horse" ? "user-1" : undefined),
  }).listen(3000);
}

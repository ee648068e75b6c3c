/** Bearer tokens (RFC 6750) signed by an identity provider, verified with jose. */
import sluice, { type FrameworkApp, type Handler, HttpError } from "@sluice/sluice";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";

interface Provider {
  /** Finds the key that signed a token. */
  keys: JWTVerifyGetKey;
  /** The required issuer and audience. */
  issuer: string;
  audience: string;
}

/** Admits requests with a valid token; `res.locals.claims` has its claims. */
export function authenticated({ keys, issuer, audience }: Provider): Handler {
  // explicit, because a token must not choose its own algorithm
  const algorithms = ["ES256", "RS256", "EdDSA"];
  return async (req, res, next) => {
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(req.get("authorization") ?? "")?.[1];
    if (token === undefined) throw refused(401, "Bearer");
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ["exp", "sub"],
      });
      res.locals["claims"] = payload;
    } catch (error) {
      if (!isInvalid(error)) throw new HttpError(503, "The keys cannot be read", { cause: error });
      throw refused(401, 'Bearer error="invalid_token"');
    }
    next();
  };
}

/** Whether the token is invalid, rather than the provider unreachable, for which jose has no error class. */
function isInvalid(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout) return false;
  return error.code !== errors.JOSEError.code;
}

/** Admits requests whose token has a scope (RFC 8693 section 4.2). */
export function scope(wanted: string): Handler {
  return (_req, res, next) => {
    const { scope = "" } = res.locals["claims"] as JWTPayload & { scope?: string };
    if (!scope.split(" ").includes(wanted)) throw refused(403, `Bearer error="insufficient_scope", scope="${wanted}"`);
    next();
  };
}

function refused(status: number, challenge: string): HttpError {
  return new HttpError(status, undefined, { headers: { "WWW-Authenticate": challenge } });
}

export function makeApp(provider: Provider): FrameworkApp {
  const app = sluice();
  app.get("/", (_req, res) => res.send("Open to all"));
  app.use("/notes", authenticated(provider));
  app.get("/notes", scope("notes:read"), (_req, res) => res.json({ owner: res.locals["claims"].sub }));
  return app;
}

if (import.meta.main) {
  const issuer = "https://login.example.com/";
  const keys = createRemoteJWKSet(new URL(".well-known/jwks.json", issuer));
  makeApp({ keys, issuer, audience: "https://notes.example.com/" }).listen(3000);
}

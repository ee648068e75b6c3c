/** Accounts, logins and sessions with better-auth, in front of the application's own routes. */
import sluice, { type FrameworkApp, type Handler, HttpError, rateLimit } from "@sluice/sluice";
import { csrf } from "@sluice/middleware/csrf";
import { betterAuth, type BetterAuthOptions } from "better-auth";
import { getMigrations } from "better-auth/db/migration";

interface Accounts {
  /** Stores accounts and sessions. */
  database: NonNullable<BetterAuthOptions["database"]>;
  /** Signs cookies: at least 32 random characters. */
  secret: string;
  /** The URL of this service, as seen by browsers. */
  baseURL: string;
}

export function authOptions({ database, secret, baseURL }: Accounts) {
  return {
    database,
    secret,
    baseURL,
    emailAndPassword: { enabled: true, minPasswordLength: 12 },
    // its own limiter trusts X-Forwarded-For from any client
    rateLimit: { enabled: false },
    advanced: { ipAddress: { disableIpTracking: true } },
  } satisfies BetterAuthOptions;
}

export function makeApp(accounts: Accounts): FrameworkApp {
  const auth = betterAuth(authOptions(accounts));

  const signedIn: Handler = async (req, res, next) => {
    const { headers, response } = await auth.api.getSession({ headers: req.request.headers, returnHeaders: true });
    if (response === null) throw new HttpError(401);
    // use prolongs a session, and its cookie with it
    for (const cookie of headers.getSetCookie()) res.append("Set-Cookie", cookie);
    res.locals["user"] = response.user;
    next();
  };

  const app = sluice();
  // sign-in, sign-up and everything else; before any body parser, because it reads bodies itself
  app.post("/api/auth/*path", rateLimit({ windowMs: 60_000, limit: 30 }));
  app.all("/api/auth/*path", (req) => auth.handler(req.request));
  app.use(csrf({ origins: [new URL(accounts.baseURL).origin] }));
  app.get("/me", signedIn, (_req, res) => res.set("Cache-Control", "no-store").json({ name: res.locals["user"].name }));
  app.post("/notes", signedIn, sluice.json(), (req, res) => {
    res.status(201).json({ by: res.locals["user"].id, text: req.body.text });
  });
  return app;
}

if (import.meta.main) {
  const { default: process } = await import("node:process");
  const { DatabaseSync } = await import("node:sqlite");
  const secret = process.env["BETTER_AUTH_SECRET"];
  if (secret === undefined) throw new Error("BETTER_AUTH_SECRET is not set: openssl rand -base64 32 makes one");
  const accounts = { database: new DatabaseSync("accounts.db"), secret, baseURL: "http://localhost:3000" };
  await (await getMigrations(authOptions(accounts))).runMigrations();
  makeApp(accounts).listen(3000);
}

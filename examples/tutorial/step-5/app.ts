import type { DatabaseSync } from "node:sqlite";
import { csrf } from "@sluice/middleware/csrf";
import { session } from "@sluice/middleware/session";
import { validate } from "@sluice/openapi";
import { clientKey, MemoryStore, rateLimit, type Store } from "@sluice/rate-limit";
import sluice, { HttpError, type Middleware } from "@sluice/sluice";
import { z } from "zod";
import { Links } from "./links.ts";
import { Users } from "./users.ts";

const NewLink = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2000),
  code: z.string().regex(/^[\w-]{3,32}$/).optional(),
});
const Account = z.object({ name: z.string().regex(/^\w{1,32}$/), password: z.string().min(10).max(200) });

export interface Options {
  db: DatabaseSync;
  /** Seals the session cookies: at least 32 characters. */
  secret: string;
  store?: Store;
}

/** Creates the application: server.ts listens, and tests call it without a server. */
export function createApp({ db, secret, store = new MemoryStore() }: Options) {
  const app = sluice();
  const [links, users] = [new Links(db), new Users(db)];

  app.use(rateLimit({ name: "all", algorithm: "token-bucket", windowMs: 60_000, limit: 300, burst: 50, store }));
  app.use("/api", session({ secret }), csrf(), sluice.json({ limit: "10kb" }));

  // by name and client: guessing at a name does not lock its owner out
  const guessing = rateLimit({
    name: "login",
    algorithm: "sliding-log",
    windowMs: 15 * 60_000,
    limit: 5,
    skipSuccessfulRequests: true,
    keyGenerator: (req) => `${clientKey(req)}:${req.body.name}`,
    store,
  });

  app.post(
    "/api/signup",
    validate({ body: Account }),
    async (req, res) => {
      const { name, password } = req.body;
      if (!await users.add(name, password)) throw new HttpError(409, `${name} is taken`);
      await req.session.regenerate();
      req.session.user = name;
      res.status(201).json({ name });
    },
  );

  app.post(
    "/api/login",
    validate({ body: Account }),
    guessing,
    async (req, res) => {
      const { name, password } = req.body;
      if (!await users.has(name, password)) throw new HttpError(401);
      await req.session.regenerate();
      req.session.user = name;
      res.json({ name });
    },
  );

  app.post("/api/logout", async (req, res) => {
    await req.session.destroy();
    res.sendStatus(204);
  });

  // later handlers have the owner in their types
  const signedIn: Middleware<{ owner: string }> = (req, _res, next) => {
    if (req.session.user === undefined) throw new HttpError(401);
    req.owner = req.session.user;
    next();
  };

  const making = rateLimit({ name: "making", algorithm: "sliding-window", windowMs: 60_000, limit: 10, store });

  app.post(
    "/api/links",
    signedIn,
    making,
    validate({ body: NewLink }),
    (req, res) => {
      const { url, code = crypto.randomUUID().slice(0, 8) } = req.body;
      if (!links.add(code, url, req.owner)) throw new HttpError(409, `${code} is taken`);
      res.status(201).location(`/${code}`).json({ code, url });
    },
  );

  app.get("/api/links", signedIn, (req, res) => res.json(links.of(req.owner)));

  app.get("/api/links/:code", signedIn, (req, res) => {
    const link = links.find(req.params.code, req.owner);
    if (link === undefined) throw new HttpError(404);
    res.json(link);
  });

  app.get("/:code", (req, res) => {
    const link = links.visit(req.params.code);
    if (link === undefined) throw new HttpError(404);
    res.set("Cache-Control", "no-store").redirect(link.url);
  });

  return app;
}

import { rateLimit } from "@sluice/rate-limit";
import sluice, { HttpError } from "@sluice/sluice";

const passwords = new Map([["ann", "secret"]]);

const nameOf = (name: unknown) =>
  (typeof name === "string" && name.normalize("NFKC").trim().toLowerCase()) || "no name";

export function createApp() {
  const app = sluice();
  const guessing = rateLimit({
    algorithm: "sliding-log",
    limit: 3,
    windowMs: 15 * 60_000,
    keyGenerator: (req) => nameOf(req.body?.name),
    skipSuccessfulRequests: true,
  });
  app.post("/login", sluice.json({ limit: "1kb" }), guessing, (req, res) => {
    const { name, password } = req.body ?? {};
    if (!passwords.has(name) || passwords.get(name) !== password) throw new HttpError(401);
    res.json({ ok: true });
  });
  return app;
}

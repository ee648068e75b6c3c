import { session } from "@sluice/middleware/session";
import sluice from "@sluice/sluice";

export function createApp() {
  const app = sluice();
  // in production, the secret comes from the environment
  app.use(session({ secret: "5VnrkxJ0fTuGGq7ZJvqCCiTTQ9SXYH2l", cookie: { maxAge: 30 * 60_000 } }));

  app.post("/login", sluice.urlencoded(), async (req, res) => {
    await req.session.regenerate();
    req.session.user = String(req.body?.name ?? "");
    res.redirect(303, "/me");
  });
  app.get("/me", (req, res) => {
    if (!req.session.user) return res.sendStatus(401);
    res.json({ name: req.session.user });
  });
  app.post("/logout", async (req, res) => {
    await req.session.destroy();
    res.sendStatus(204);
  });
  return app;
}

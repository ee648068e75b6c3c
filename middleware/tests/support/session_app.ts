import sluice, { type FrameworkApp } from "@sluice/sluice";
import { session, type SessionOptions } from "@sluice/middleware/session";

/** Two secrets. */
export const SECRETS = ["the first secret, of 36 characters..", "the second secret, of 36 characters."] as const;

/**
 * An application whose routes do what their names say: `/set?key=&value=`, `/read`, `/regenerate`, `/destroy`,
 * `/touch`, `/untouched`.
 *
 * @param options Session options
 */
export function sessionApp(options: SessionOptions = { secret: SECRETS[0] }): FrameworkApp {
  const app = sluice().set("env", "test").set("trust proxy", true);
  app.use(session(options));
  app.get("/untouched", (_req, res) => res.json({}));
  app.get("/read", (req, res) => res.json(req.session));
  app.get("/id", (req, res) => res.json(req.session.id));
  app.get("/set", (req, res) => {
    req.session[String(req.query["key"])] = req.query["value"];
    res.json(req.session);
  });
  app.get("/touch", (req, res) => {
    req.session.touch();
    res.json(req.session);
  });
  app.get("/regenerate", async (req, res) => {
    await req.session.regenerate();
    req.session.user = req.query["user"];
    res.json(req.session);
  });
  app.get("/destroy", async (req, res) => {
    await req.session.destroy();
    res.json(req.session);
  });
  app.get("/null", (req, res) => {
    req.session = null;
    res.json("gone");
  });
  return app;
}

/** A clock that moves only when a test moves it. */
export class StillClock {
  /** Time in ms. */
  time = Date.UTC(2026, 0, 1);
  /** Reads the time. */
  readonly read = (): number => this.time;
}

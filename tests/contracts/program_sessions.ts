/** The part of the program with sessions and protection against cross-site requests. */
import { csrf, type CsrfExtras } from "@sluice/middleware/csrf";
import { MemorySessionStore, session } from "@sluice/middleware/session";
import sluice, { type FrameworkApp, type Request } from "@sluice/sluice";

const SECRET = "a secret of the contract's program";

/** Routes with sessions, in sealed cookies and in memory. */
export function sessionRoutes(app: FrameworkApp): void {
  const kinds = {
    sealed: session({ secret: SECRET, name: "sealed" }),
    stored: session({ store: new MemorySessionStore(), name: "stored" }),
  };
  for (const [kind, middleware] of Object.entries(kinds)) {
    const router = sluice.Router();
    router.use(middleware, csrf({ token: "session" }));
    router.get("/", (req, res) => res.json(req.session));
    router.get("/set/:value", (req, res) => {
      req.session.value = req.params["value"];
      res.json(req.session);
    });
    router.get("/returned/:value", (req) => {
      req.session.value = req.params["value"];
      return Response.json(req.session);
    });
    router.get("/streamed/:value", async (req, res) => {
      req.session.value = req.params["value"];
      for (const piece of ["one ", "two ", "three"]) {
        if (!res.write(piece)) await new Promise<void>((resolve) => res.once("drain", () => resolve()));
      }
      res.end();
    });
    router.get("/regenerate", async (req, res) => {
      await req.session.regenerate();
      req.session.user = "ada";
      res.json(req.session);
    });
    router.get("/destroy", async (req, res) => {
      await req.session.destroy();
      res.json(req.session);
    });
    router.get("/token", (req, res) => res.send((req as Request & CsrfExtras).csrfToken()));
    router.post("/", (_req, res) => res.json("done"));
    app.use(`/sessions/${kind}`, router);
  }
  app.use("/guarded", csrf({ token: { secret: SECRET, name: "guard" } }));
  app.get("/guarded", (req, res) => res.send((req as Request & CsrfExtras).csrfToken()));
  app.post("/guarded", (_req, res) => res.json("done"));
}

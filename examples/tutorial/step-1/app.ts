import sluice, { HttpError } from "@sluice/sluice";

/** Creates the application: server.ts listens, and tests call it without a server. */
export function createApp() {
  const app = sluice();
  const links = new Map<string, string>();

  app.use(sluice.json());

  app.post("/api/links", (req, res) => {
    const { url, code = crypto.randomUUID().slice(0, 8) } = req.body;
    links.set(code, url);
    res.status(201).location(`/${code}`).json({ code, url });
  });

  app.get("/:code", (req, res) => {
    const url = links.get(req.params.code);
    if (url === undefined) throw new HttpError(404);
    res.redirect(url);
  });

  return app;
}

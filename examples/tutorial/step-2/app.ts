import { validate } from "@sluice/openapi";
import sluice, { HttpError } from "@sluice/sluice";
import { z } from "zod";

const NewLink = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2000),
  code: z.string().regex(/^[\w-]{3,32}$/).optional(),
});

/** Creates the application: server.ts listens, and tests call it without a server. */
export function createApp() {
  const app = sluice();
  const links = new Map<string, string>();

  app.post(
    "/api/links",
    sluice.json({ limit: "10kb" }),
    validate({ body: NewLink }),
    (req, res) => {
      const { url, code = crypto.randomUUID().slice(0, 8) } = req.body;
      if (links.has(code)) throw new HttpError(409, `${code} is taken`);
      links.set(code, url);
      res.status(201).location(`/${code}`).json({ code, url });
    },
  );

  app.get("/:code", (req, res) => {
    const url = links.get(req.params.code);
    if (url === undefined) throw new HttpError(404);
    res.redirect(url);
  });

  return app;
}

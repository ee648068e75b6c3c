import { validate } from "@sluice/openapi";
import sluice, { HttpError } from "@sluice/sluice";
import { z } from "zod";
import type { Links } from "./links.ts";

const NewLink = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2000),
  code: z.string().regex(/^[\w-]{3,32}$/).optional(),
});

/** Creates the application: server.ts listens, and tests call it without a server. */
export function createApp(links: Links) {
  const app = sluice();

  app.post(
    "/api/links",
    sluice.json({ limit: "10kb" }),
    validate({ body: NewLink }),
    (req, res) => {
      const { url, code = crypto.randomUUID().slice(0, 8) } = req.body;
      if (!links.add(code, url)) throw new HttpError(409, `${code} is taken`);
      res.status(201).location(`/${code}`).json({ code, url });
    },
  );

  app.get("/api/links/:code", (req, res) => {
    const link = links.find(req.params.code);
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

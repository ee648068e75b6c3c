import { operation, validate } from "@sluice/openapi";
import { openapiPages } from "@sluice/openapi/pages";
import sluice from "@sluice/sluice";
import { z } from "zod";

const Book = z.object({ id: z.number().int(), title: z.string() });

export function createApp() {
  const app = sluice();
  app.get(
    "/books/:id",
    operation({ operationId: "getBook", summary: "A book by its number" }),
    validate({ params: z.object({ id: z.coerce.number().int() }), response: { 200: Book } }),
    (req, res) => res.json({ id: req.params.id, title: "Emma" }),
  );
  app.use("/docs", openapiPages(app, { title: "Books", version: "1.0.0" }));
  return app;
}

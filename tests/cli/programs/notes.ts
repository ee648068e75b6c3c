/** Exports an application with schemas, for `sluice client` and `sluice check`. */
import { openapiPages } from "@sluice/openapi/pages";
import { validate } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { z } from "zod";

const Note = z.object({ id: z.int(), text: z.string() }).meta({ id: "Note" });

export const app = sluice().set("env", "test");
app.get("/notes", validate({ response: { 200: z.array(Note) } }), (_req, res) => res.json([{ id: 1, text: "a" }]));
app.get(
  "/notes/:id",
  validate({ params: z.object({ id: z.coerce.number() }), response: { 200: Note } }),
  (req, res) => {
    res.json({ id: req.params.id > 7 ? "seven" : 1, text: "a" } as never);
  },
);
app.use("/docs", openapiPages(app, { title: "Notes", version: "1" }, { prefix: "/v1" }));

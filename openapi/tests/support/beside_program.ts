/**
 * Serves the same routes with express-openapi-validator, which validates against the routes' document, and
 * swagger-ui-express, which displays it. The first argument is the import specifier for the former, which is in no lock
 * file.
 */
import { openapi, operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import swaggerUi from "swagger-ui-express";
import { z } from "zod";

const Note = z.object({ text: z.string().min(2), n: z.int().optional() });

/** Routes for notes, optionally checked by `validate`. */
function notes(isChecked: boolean): FrameworkApp {
  const app = sluice().set("env", "test");
  const check = (schemas: Parameters<typeof validate>[0]) => isChecked ? validate(schemas) : operation({});
  app.use(sluice.json());
  const query = z.object({ limit: z.coerce.number().max(10) });
  app.get("/notes", check({ query, response: { 200: z.array(Note) } }), (_req, res) => res.json([]));
  app.post("/notes", check({ body: Note, response: { 201: Note } }), (req, res) => res.status(201).json(req.body));
  const params = z.object({ id: z.coerce.number().int() });
  app.get("/notes/:id", check({ params }), (req, res) => res.json({ id: req.params.id }));
  return app;
}

const document = openapi(notes(true), { title: "Notes", version: "1" });
const { middleware } = (await import(Deno.args[0]!)).default;

/** The same routes behind the validator. */
function behind(app: FrameworkApp): FrameworkApp {
  const outer = sluice().set("env", "test");
  outer.use("/ui", swaggerUi.serve as never, swaggerUi.setup(document) as never);
  outer.use(sluice.json());
  // one middleware per step
  outer.use(middleware({ apiSpec: document }));
  outer.use(app);
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error.status ?? 500).json(error.message);
  };
  outer.use(failed);
  return outer;
}

const ports = [notes(true), behind(notes(false)), behind(notes(true))].map((app) => {
  return app.listen({ port: 0, hostname: "127.0.0.1" }).port;
});
console.log(JSON.stringify(ports));

/**
 * Serves the same routes with what people have: express-openapi-validator, which checks by the document of the routes, and
 * swagger-ui-express, which shows it. Its first argument is what to import for the former, which no lock file has.
 */
import { openapi, operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import swaggerUi from "swagger-ui-express";
import { z } from "zod";

const Note = z.object({ text: z.string().min(2), n: z.int().optional() });

/** Routes for notes, which `validate` checks if it is asked to. */
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

/** The same behind the validator. */
function behind(app: FrameworkApp): FrameworkApp {
  const outer = sluice().set("env", "test");
  outer.use("/ui", swaggerUi.serve as never, swaggerUi.setup(document) as never);
  outer.use(sluice.json());
  // one middleware for each of its steps
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

/** The part of the program that serves its OpenAPI document. */
import { openapiPages } from "@sluice/openapi/pages";
import { operation, validate } from "@sluice/openapi";
import { type FrameworkApp, Router } from "@sluice/sluice";

/** A hand-written schema for digit strings. */
const digits = {
  "~standard": {
    version: 1 as const,
    vendor: "program",
    validate: (value: unknown) => {
      const { q } = value as { q?: unknown };
      return /^\d+$/.test(String(q)) ? { value: { q: Number(q) } } : { issues: [{ message: "no digits" }] };
    },
    jsonSchema: {
      input: () => ({ type: "object", properties: { q: { type: "string", pattern: "^\\d+$" } }, required: ["q"] }),
      output: () => ({ type: "object", properties: { q: { type: "number" } } }),
    },
  },
};

/** Documented routes, and the document's pages. */
export function documentRoutes(app: FrameworkApp): void {
  const router = Router();
  const summary = operation({ summary: "Found" });
  router.get("/found{/:page}", summary, validate({ query: digits, response: { 200: digits } }), (req, res) => {
    res.json(req.query);
  });
  router.get(/^\/expression/, (_req, res) => void res.end());
  router.use("/docs", openapiPages(router, { title: "Program", version: "1" }, { prefix: "/documented" }));
  app.use("/documented", router);
}

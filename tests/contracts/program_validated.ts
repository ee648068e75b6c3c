/** The part of the program that validates requests, by schemas of three libraries. */
import { validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

// made with the module: arktype compiles its schemas, which Workers allow only until they have started
const zod = validate({
  query: z.object({ page: z.string().regex(/^\d+$/) }),
  body: z.object({ name: z.string().max(10), tags: z.array(z.number()) }),
});
const valibot = validate({
  query: v.object({ page: v.pipe(v.string(), v.regex(/^\d+$/)) }),
  body: v.object({ name: v.pipe(v.string(), v.maxLength(10)), tags: v.array(v.number()) }),
});
const arktype = validate({
  query: type({ page: /^\d+$/ }),
  body: type({ name: "string <= 10", tags: "number[]" }),
});

/** Routes that want the same of requests, each by a schema of another library. */
export function validatedRoutes(app: FrameworkApp): void {
  app.post("/validated/zod", sluice.json(), zod, (req, res) => res.json([req.query.page, req.body.tags]));
  app.post("/validated/valibot", sluice.json(), valibot, (req, res) => res.json([req.query.page, req.body.tags]));
  app.post("/validated/arktype", sluice.json(), arktype, (req, res) => res.json([req.query.page, req.body.tags]));
}

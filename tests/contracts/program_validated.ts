/** The part of the program that validates requests with schemas from three libraries, and documents them. */
import { upload } from "@sluice/middleware/upload";
import { openapiPages } from "@sluice/openapi/pages";
import { operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp, type Handler, Router } from "@sluice/sluice";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

/** Checks for three routes: a JSON body and a query, a form with a file, and a parameter. */
export interface Checks {
  /** A body `{ name, n, tags? }`, and a query `page`. */
  readonly note: Handler;
  /** A form with the strings `title` and `n`. */
  readonly form: Handler;
  /** A numeric parameter `id`, and a response. */
  readonly one: Handler;
}

const DIGITS = /^\d+$/;

// made with the module: arktype compiles its schemas, which Workers allow only during startup
const arktypeOne = { id: type(DIGITS) };
const valibotDigits = v.pipe(v.string(), v.regex(DIGITS));
const valibotOne = toStandardJsonSchema(v.object({ id: valibotDigits }));

/** The same checks, with schemas from each library. */
export const LIBRARIES: Readonly<Record<"zod" | "valibot" | "arktype", Checks>> = {
  zod: {
    note: validate({
      query: z.object({ page: z.string().regex(DIGITS) }),
      body: z.object({ name: z.string().max(100), n: z.number().max(1000), tags: z.array(z.string()).optional() }),
    }),
    form: validate({ body: z.object({ title: z.string().max(20), n: z.string().regex(DIGITS) }), status: 422 }),
    one: validate({
      params: z.object({ id: z.string().regex(DIGITS) }),
      response: { 200: z.looseObject({ id: z.string().regex(DIGITS) }) },
    }),
  },
  valibot: {
    note: validate({
      query: toStandardJsonSchema(v.object({ page: valibotDigits })),
      body: toStandardJsonSchema(v.object({
        name: v.pipe(v.string(), v.maxLength(100)),
        n: v.pipe(v.number(), v.maxValue(1000)),
        tags: v.optional(v.array(v.string())),
      })),
    }),
    form: validate({
      body: toStandardJsonSchema(v.object({ title: v.pipe(v.string(), v.maxLength(20)), n: valibotDigits })),
      status: 422,
    }),
    one: validate({ params: valibotOne, response: { 200: valibotOne } }),
  },
  arktype: {
    note: validate({
      query: type({ page: DIGITS }),
      body: type({ name: "string <= 100", n: "number <= 1000", "tags?": "string[]" }),
    }),
    form: validate({ body: type({ title: "string <= 20", n: DIGITS }), status: 422 }),
    one: validate({ params: type(arktypeOne), response: { 200: type(arktypeOne) } }),
  },
};

/** Routes with the same requirements, each with a different library's schemas, and a document for each. */
export function validatedRoutes(app: FrameworkApp): void {
  for (const [library, { note, form, one }] of Object.entries(LIBRARIES)) {
    const router = Router();
    router.post("/", sluice.json(), note, (req, res) => res.json([req.query.page, req.body.name, req.body.tags]));
    const fields = { picture: { maxCount: 1, types: ["image/*"] } };
    router.post("/form", operation({ tags: ["forms"] }), upload({ fields }), form, (req, res) => {
      res.json([req.body.title, req.file?.size ?? 0]);
    });
    router.get("/one/:id", one, (req, res) => res.json({ id: req.params.id }));
    router.use("/docs", openapiPages(router, { title: "Checks", version: "1" }));
    app.use(`/validated/${library}`, router);
  }
}

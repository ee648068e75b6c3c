import { validate } from "@sluice/openapi";
import express4 from "@sluice/express/4";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { z } from "zod";
import { oneOf, type Pick } from "../../../tests/support/random.ts";

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** An application with one to four routes, whose schemas, paths and mounts are random. */
export function generatedRoutes(pick: Pick): FrameworkApp {
  const app = express4().set("env", "test").set("query parser", "extended");
  const router = express4.Router({ mergeParams: true });
  const isMounted = pick(2) === 0;
  const target = isMounted ? router : app.router;
  for (let i = 0, count = 1 + pick(4); i < count; i++) {
    const method = oneOf(pick, METHODS);
    const [path, params] = oneOf(pick, PATHS);
    const schemas = {
      ...params === null ? {} : { params: z.object(params(pick)) },
      ...pick(3) > 0 ? { query: z.object(fields(pick, texts)) } : {},
      ...pick(4) === 0 ? { headers: z.object(headers(pick)) } : {},
      ...method !== "get" && method !== "delete" && pick(4) > 0 ? { body: body(pick) } : {},
    };
    target[method](`/r${i}${path}`, sluice.json(), validate(schemas), (_req, res) => void res.send("taken"));
  }
  if (isMounted) app.use(oneOf(pick, ["/api", "/v1/:tenant"]), router);
  return app;
}

type Params = (pick: Pick) => Record<string, z.ZodType>;

const PATHS: readonly (readonly [path: string, params: Params | null])[] = [
  ["", null],
  ["/:id", (pick) => ({ id: number(pick, true) })],
  ["/:name/sub", (pick) => ({ name: texts(pick) })],
  ["/:year(\\d{4})", null],
  ["{/:page}", (pick) => ({ page: number(pick, true).optional() })],
];

/** Schemas for values that arrive as strings. */
function texts(pick: Pick): z.ZodType {
  return oneOf(pick, [
    () => z.string().min(1 + pick(3)).max(4 + pick(6)),
    () => z.enum(["red", "green", "blue"]),
    () => number(pick, true),
    () => z.string().regex(/^[a-f]{2,5}$/),
  ])();
}

function number(pick: Pick, isText: boolean): z.ZodNumber {
  const least = pick(10);
  const base = isText ? z.coerce.number() as unknown as z.ZodNumber : z.number();
  return base.int().min(least).max(least + 1 + pick(90));
}

function fields(pick: Pick, make: (pick: Pick, depth: number) => z.ZodType, depth = 0): Record<string, z.ZodType> {
  const names = ["alpha", "beta", "gamma", "delta"].slice(0, 1 + pick(4));
  return Object.fromEntries(names.map((name) => {
    const schema = make(pick, depth);
    return [name, pick(2) === 0 ? schema.optional() : schema];
  }));
}

function headers(pick: Pick): Record<string, z.ZodType> {
  return { "x-first": texts(pick), "x-second": texts(pick).optional() };
}

function body(pick: Pick): z.ZodType {
  const object = pick(3) === 0 ? z.strictObject(fields(pick, values)) : z.object(fields(pick, values));
  return pick(4) === 0 ? z.array(object).min(1) : object;
}

function values(pick: Pick, depth: number): z.ZodType {
  const kinds: (() => z.ZodType)[] = [
    () => z.string().max(3 + pick(5)),
    () => z.enum(["on", "off"]),
    () => number(pick, false),
    () => z.boolean(),
    () => z.string().min(2).nullable(),
    () => z.literal(7),
    () => z.union([z.boolean(), z.string().min(3)]),
  ];
  if (depth < 2) {
    kinds.push(() => z.object(fields(pick, values, depth + 1)), () => z.array(values(pick, depth + 1)).max(3));
  }
  return oneOf(pick, kinds)();
}

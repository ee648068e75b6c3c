/** Applications with many routes, for type checking: no two routes share a schema. */

/** Ways to write a route. */
const ROUTES = {
  plain: (i: number) =>
    `app.post("/things${i}/:id", sluice.json(), (req, res) => {
  res.json({ id: req.params.id, name: req.body.name${i} });
});`,
  called: (i: number) =>
    `const params${i} = ${params()};
const body${i} = ${body(i)};
const sent${i} = ${sent()};
app.post("/things${i}/:id", sluice.json(), (req, res) => {
  const { id } = params${i}.parse(req.params);
  const { name${i}, at } = body${i}.parse(req.body);
  res.json(sent${i}.parse({ id: id.toFixed(), name: name${i}.trim(), year: at.slice(0, 4) }));
});`,
  behind: (i: number) =>
    `app.post("/things${i}/:id", sluice.json(), validate({ params: ${params()}, body: ${
      body(i)
    }, response: { 200: ${sent()} } }), (req, res) => {
  const { params: { id }, body: { name${i}, at } } = req;
  res.json({ id: id.toFixed(), name: name${i}.trim(), year: at.slice(0, 4) });
});`,
  within: (i: number) =>
    `app.post("/things${i}/:id", sluice.json(), validate({ params: ${params()}, body: ${
      body(i)
    }, response: { 200: ${sent()} } }, (req, res) => {
  const { params: { id }, body: { name${i}, at } } = req;
  res.json({ id: id.toFixed(), name: name${i}.trim(), year: at.slice(0, 4) });
}));`,
} satisfies Record<string, (i: number) => string>;

/** A way to write a route. */
export type Way = keyof typeof ROUTES;

/** Their names in tables. */
export const WAYS: Readonly<Record<Way, string>> = {
  plain: "without schemas",
  called: "schemas called directly",
  behind: "`validate(schemas), handler`",
  within: "`validate(schemas, handler)`",
};

function sent(): string {
  return "z.object({ id: z.string(), name: z.string(), year: z.string() })";
}

function params(): string {
  return "z.object({ id: z.coerce.number().int() })";
}

function body(i: number): string {
  return `z.object({
  name${i}: z.string().max(100), count: z.number().int().optional(), tags: z.array(z.string()), at: z.iso.date(),
})`;
}

/**
 * Generates an application.
 *
 * @param way How its routes are written
 * @param routes Its number of routes
 * @param round A number that makes the source unique, for a compiler that caches results
 */
export function application(way: Way, routes: number, round: number): string {
  const text = Array.from({ length: routes }, (_, i) => ROUTES[way](i)).join("\n\n");
  return `// round ${round}
import { validate } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { z } from "zod";

export const used = [validate, z];
export const app = sluice();

${text}
`;
}

/**
 * Generates a client that calls each route.
 *
 * @param routes Number of routes
 * @param round As for an application
 */
export function client(routes: number, round: number): string {
  const calls = Array.from({ length: routes }, (_, i) =>
    `export async function call${i}(): Promise<string> {
  const path = { id: ${i} };
  const body = { name${i}: "a", tags: ["b"], at: "2000-01-01" };
  const { data, error } = await client.POST("/things${i}/{id}", { params: { path }, body });
  return data?.name ?? error?.title ?? "";
}`);
  return `// round ${round}
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const client = createClient<paths>({ baseUrl: "http://localhost" });

${calls.join("\n\n")}
`;
}

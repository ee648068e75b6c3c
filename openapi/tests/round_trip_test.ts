/**
 * Validation accepts what a document allows and rejects what it forbids: for generated routes, from the document alone.
 */
import { openapi, type OpenApiOperation, type OpenApiParameter } from "@sluice/openapi";
import type { FrameworkApp } from "@sluice/sluice";
import { assert, assertEquals } from "@std/assert";
import { type Pick, random } from "../../tests/support/random.ts";
import { assertAccepted } from "./support/assert_accepted.ts";
import { generatedRoutes } from "./support/generated_routes.ts";
import { SchemaValues } from "./support/schema_values.ts";

/** Number of generated applications, each with its own seed. */
const SETS = 200;

/** A request before serialization. */
interface Draft {
  readonly params: Map<OpenApiParameter, string | undefined>;
  body: unknown;
}

Deno.test(`requests of ${SETS} generated sets of routes pass if the document allows them, and only then`, async () => {
  const counts = { routes: 0, allowed: 0, forbidden: 0 };
  for (let seed = 1; seed <= SETS; seed++) {
    const pick = random(seed);
    const app = generatedRoutes(pick);
    const document = openapi(app, { title: `Seed ${seed}`, version: "1" });
    await assertAccepted(document);
    assertEquals(document["x-not-expressible"], undefined);
    const values = new SchemaValues(document, pick);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        counts.routes++;
        await tryOperation(app, values, path, method, operation, pick, counts);
      }
    }
  }
  // without enough requests of both kinds, the test proves nothing
  assert(counts.routes > 2 * SETS, JSON.stringify(counts));
  assert(counts.allowed > 1500 && counts.forbidden > 1500, JSON.stringify(counts));
});

async function tryOperation(
  app: FrameworkApp,
  values: SchemaValues,
  path: string,
  method: string,
  operation: OpenApiOperation,
  pick: Pick,
  counts: { allowed: number; forbidden: number },
): Promise<void> {
  const bodySchema = operation.requestBody?.content["application/json"]?.schema;
  const textOf = ({ in: part, schema }: OpenApiParameter): string => {
    const text = String(values.allowed(schema));
    // there are no empty segments
    return part === "path" && text === "" ? "x" : text;
  };
  const draft = (): Draft => ({
    params: new Map((operation.parameters ?? []).map((one) => {
      return [one, one.required === true || pick(2) === 0 ? textOf(one) : undefined];
    })),
    body: bodySchema === undefined ? undefined : values.allowed(bodySchema),
  });
  const send = async (one: Draft): Promise<string> => {
    const response = await app.inject(...written(path, method, one));
    await response.text();
    return `${response.status}`;
  };
  const shown = (one: Draft) => `${JSON.stringify(written(path, method, one))}`;
  for (let i = 0; i < 4; i++) {
    const one = draft();
    assertEquals(await send(one), "200", `the document allows ${shown(one)}`);
    counts.allowed++;
  }
  for (const parameter of operation.parameters ?? []) {
    const wrong = values.forbidden(parameter.schema, true) as string | undefined;
    if (wrong !== undefined) {
      const one = draft();
      one.params.set(parameter, wrong);
      await assertForbidden(one);
    }
    if (parameter.required === true && parameter.in !== "path") {
      const one = draft();
      one.params.set(parameter, undefined);
      await assertForbidden(one);
    }
  }
  if (bodySchema === undefined) return;
  for (let i = 0; i < 4; i++) {
    const wrong = values.forbidden(bodySchema, false);
    if (wrong === undefined) continue;
    await assertForbidden({ ...draft(), body: wrong });
  }
  if (operation.requestBody!.required === true) await assertForbidden({ ...draft(), body: undefined });

  async function assertForbidden(one: Draft): Promise<void> {
    const status = await send(one);
    // 404: a path whose constraint rejects it
    assert(status === "400" || status === "404", `${status}, but the document forbids ${shown(one)}`);
    counts.forbidden++;
  }
}

function written(path: string, method: string, { params, body }: Draft): [path: string, init: RequestInit] {
  let target = path;
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const [{ in: part, name }, value] of params) {
    if (value === undefined) continue;
    if (part === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (part === "query") query.set(name, value);
    else headers.set(name, value);
  }
  if (body !== undefined) headers.set("content-type", "application/json");
  const init = { method: method.toUpperCase(), headers, ...body === undefined ? {} : { body: JSON.stringify(body) } };
  return [query.size === 0 ? target : `${target}?${query}`, init];
}

/** Sends values with secret fields as responses. */
import { openapi, validate } from "@sluice/openapi";
import sluice, { type Handler } from "@sluice/sluice";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { random } from "../../../tests/support/random.ts";
import type { Wrong } from "../fuzzer.ts";
import { buildSchema } from "./build_schema.ts";
import { Documented } from "./documented.ts";
import { RandomValue } from "./random_value.ts";
import { has, type Library, type Shape } from "./shape.ts";

/** A route with a response schema. */
export interface ResponseStep {
  readonly part: "response";
  readonly library: Library;
  readonly shape: Shape;
  /** Options for `validate`. */
  readonly options: { readonly checkResponses?: boolean; readonly serialize?: boolean };
  /** Whether the handler returns a `Response`. */
  readonly isReturned: boolean;
  /** Seed for its values. */
  readonly seed: number;
}

/** Values for each route. */
const VALUES = 8;

/**
 * Checks a route.
 *
 * @param step The route
 * @param fault Middleware between `validate` and the handler
 */
export async function checkResponse(
  { library, shape, options, isReturned, seed }: ResponseStep,
  fault: Handler = (_req, _res, next) => next(),
): Promise<Wrong | undefined> {
  const schema = buildSchema(shape, library);
  if (schema === undefined) return undefined;
  const app = sluice().set("env", "production").set("logger", undefined as never);
  let value: unknown;
  app.get("/", validate({ ...options, response: { 200: schema } }), fault, (_req, res) => {
    if (isReturned) return new Response(toJson(value, library), { headers: { "content-type": "application/json" } });
    res.json(value);
  });
  const failed: sluice.ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).send(String(error));
  app.use(failed);
  const document = openapi(app, { title: "Responses", version: "1" });
  const json = document.paths["/"]!["get"]!.responses["200"]!.content!["application/json"]!.schema!;
  const documented = new Documented(document);
  const values = new RandomValue(random(seed));
  const { checkResponses = false, serialize = transforms(shape) } = options;
  for (let i = 0; i < VALUES; i++) {
    value = values.of(shape);
    const result = resultOf(schema, value);
    if (result === undefined) continue;
    const isRefused = result.issues !== undefined && (checkResponses || serialize);
    const made = result.issues === undefined && serialize ? result.value : value;
    const sent = JSON.parse(toJson(made, library));
    const response = await app.inject("/");
    const text = await response.text();
    const seen = `${Deno.inspect(value, { depth: 20, breakLength: 110 })}\nis sent with ${response.status}:\n${text}`;
    if (isRefused) {
      if (response.status !== 500) return { kind: "a value is sent that its schema refuses", detail: seen };
      continue;
    }
    if (response.status !== 200) return { kind: "a value is not sent that its schema accepts", detail: seen };
    if (!documented.allows(json, sent)) {
      if (result.issues !== undefined) continue;
      return { kind: "the document forbids what is sent", detail: `${seen}\n${JSON.stringify(json)}` };
    }
    const received: unknown = JSON.parse(text);
    const expected = documented.of(sent, [json]);
    const hasAll = isWithin(expected, received);
    if (hasAll && isWithin(received, expected)) continue;
    const detail = `${seen}\ninstead of:\n${JSON.stringify(expected)}\ndocument: ${JSON.stringify(json)}`;
    return { kind: hasAll ? "an undocumented field is sent" : "a field is lost", detail };
  }
  return undefined;
}

/** A schema's result; `undefined` if it fails, as arktype's do for some values that are no objects. */
function resultOf(schema: StandardSchemaV1, value: unknown): StandardSchemaV1.Result<unknown> | undefined {
  try {
    return schema["~standard"].validate(value) as StandardSchemaV1.Result<unknown>;
  } catch {
    return undefined;
  }
}

/** Whether the output of a schema differs from its input. */
export function transforms(shape: Shape): boolean {
  return has(shape, (one) =>
    one.is === "leaf" && (one.leaf === "coerced" || one.leaf === "caught") ||
    one.is === "object" && one.fields.some(({ presence }) => presence === "default"));
}

/** A value as the document says that it becomes JSON: only zod's maps with strings as keys are objects. */
function toJson(value: unknown, library: Library): string {
  return JSON.stringify(value, (_name, one) => {
    if (one instanceof Set) return [...one];
    if (!(one instanceof Map)) return one;
    const isObject = library === "zod" && [...one.keys()].every((key) => typeof key === "string");
    return isObject ? Object.fromEntries(one) : [...one];
  });
}

/** Whether a value has all of another. */
function isWithin(small: unknown, large: unknown): boolean {
  if (typeof small !== "object" || small === null) return small === large;
  if (typeof large !== "object" || large === null || Array.isArray(small) !== Array.isArray(large)) return false;
  return Object.entries(small).every(([name, one]) =>
    Object.hasOwn(large, name) && isWithin(one, (large as Record<string, unknown>)[name])
  );
}

import fc, { type Arbitrary } from "fast-check";
import type { OpenApiMedia, OpenApiOperation } from "../document/openapi_document.ts";
import type { Draft, KnownOperation, KnownParameter, ParameterPart, ValueLocation } from "./draft.ts";
import { isFile, NoValueError, type Values } from "./values.ts";

/**
 * Generates requests that a document allows.
 *
 * @param known The operation
 * @param values Generates values for its schemas
 * @throws {NoValueError} If a required part cannot be generated
 */
export function validDrafts({ parameters, operation }: KnownOperation, values: Values): Arbitrary<Draft> {
  const part = (name: ParameterPart) => fieldsOf(parameters.filter((one) => one.part === name), values);
  const body = bodies(operation, values);
  return fc.record({
    params: part("params"),
    query: part("query"),
    headers: part("headers"),
    cookies: part("cookies"),
    ...body === undefined ? {} : { body },
  }, { noNullPrototype: true }).map((draft) => {
    const { body, ...parts } = draft as Draft;
    return body === undefined ? parts : { ...parts, body };
  }).filter(({ params }) => Object.values(params).every((value) => !/^\.{0,2}$/.test(String(value))));
}

function fieldsOf(parameters: readonly KnownParameter[], values: Values): Arbitrary<Record<string, unknown>> {
  const free = parameters.find(({ isFree }) => isFree);
  const named = parameters.filter(({ isFree }) => !isFree);
  const fields = Object.fromEntries(
    named.flatMap(({ name, schema, location, isRequired, example }) => {
      const value = made(() => values.of(schema, location), isRequired);
      if (value === undefined) return [];
      return [[name, example === undefined ? value : fc.oneof(value, fc.constant(example))] as const];
    }),
  );
  const requiredKeys = named.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const record = fc.record(fields, { requiredKeys, noNullPrototype: true } as never) as Arbitrary<
    Record<string, unknown>
  >;
  if (free === undefined) return record;
  return fc.tuple(record, values.of(free.schema, free.location)).map(([own, others]) => ({
    ...others as object,
    ...own,
  }));
}

/** Omits an optional part for which no value is known. */
function made(make: () => Arbitrary<unknown>, isRequired: boolean): Arbitrary<unknown> | undefined {
  try {
    return make();
  } catch (error) {
    if (isRequired || !(error instanceof NoValueError)) throw error;
    return undefined;
  }
}

function bodies({ requestBody }: OpenApiOperation, values: Values): Arbitrary<Draft["body"]> | undefined {
  if (requestBody === undefined) return undefined;
  // a parser that nothing describes, such as an application-wide one, may not concern this route
  const described = Object.entries(requestBody.content).filter(([, { schema }]) => schema !== undefined);
  if (described.length === 0 && requestBody.required !== true) return undefined;
  const all = (described.length > 0 ? described : Object.entries(requestBody.content)).map(([type, media]) =>
    bodyOf(type, media, values)
  );
  return fc.oneof(...all) as Arbitrary<Draft["body"]>;
}

function bodyOf(type: string, { schema, encoding = {} }: OpenApiMedia, values: Values): Arbitrary<Draft["body"]> {
  const isForm = type === "multipart/form-data" || type === "application/x-www-form-urlencoded";
  const location: ValueLocation = isForm ? "query" : "body";
  const value = values.of(schema ?? (isForm ? { type: "object" } : { type: "string" }), location);
  return value.map((value) => ({ type, value: isForm ? withTypes(value as object, encoding) : value }));
}

/** Gives files the media types that the document names. */
function withTypes(fields: object, encoding: NonNullable<OpenApiMedia["encoding"]>): unknown {
  const typed = Object.entries(fields).map(([name, field]) => {
    const type = encoding[name]?.contentType?.split(",")[0]?.trim().replace(/^image\/\*$/, "image/png").replace(
      /\*$/,
      "plain",
    );
    const one = (value: unknown) => isFile(value) && type !== undefined ? { ...value, file: type } : value;
    return [name, Array.isArray(field) ? field.map(one) : one(field)] as const;
  });
  return Object.fromEntries(typed);
}

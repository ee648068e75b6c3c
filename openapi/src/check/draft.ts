import type { Call } from "../client/call.ts";
import type { JsonSchema, OpenApiOperation, OpenApiParameter } from "../document/openapi_document.ts";
import { fieldStyles, isFreeQuery, styleOf } from "../generate/parameter_style.ts";
import { routePath, type Wildcards } from "../generate/client_routes.ts";
import type { Schemas } from "./schemas.ts";

/** Where a value is written, which determines what a string may contain. */
export type ValueLocation = "path" | "query" | "header" | "cookie" | "body";

/** Request parts that consist of parameters. */
export type ParameterPart = "params" | "query" | "headers" | "cookies";

/** A request before serialization. */
export interface Draft {
  /** Its parameters, by part and name. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: Readonly<Record<string, unknown>>;
  /** Its body: the media type, and a value, or a string to send unchanged. */
  readonly body?: { readonly type: string; readonly value: unknown } | { readonly type: string; readonly text: string };
}

/** A parameter, with everything needed to send it. */
export interface KnownParameter {
  readonly part: ParameterPart;
  readonly name: string;
  readonly location: ValueLocation;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** Whether it stands for all query parameters. */
  readonly isFree: boolean;
  /** An example value from the document, such as the id of an existing resource. */
  readonly example?: unknown;
}

/** An operation, prepared for generating requests. */
export interface KnownOperation {
  /** Method and path, as in the document: `POST /users/{id}`. */
  readonly name: string;
  readonly method: string;
  /** The path in route syntax. */
  readonly path: string;
  readonly operation: OpenApiOperation;
  readonly parameters: readonly KnownParameter[];
  readonly styles: Readonly<Record<string, string>>;
}

const PARTS = { path: "params", query: "query", header: "headers", cookie: "cookies" } as const;

/**
 * Reads an operation from a document.
 *
 * @param method Its method in lower case
 * @param template Its path, in OpenAPI's syntax
 * @param operation The operation
 * @param wildcards Which path parameters span several segments
 * @param schemas The document's schemas
 */
export function knownOperation(
  method: string,
  template: string,
  operation: OpenApiOperation,
  wildcards: Wildcards,
  schemas: Schemas,
): KnownOperation {
  const all = operation.parameters ?? [];
  const unsaid = Array.from(template.matchAll(/\{([^{}]*)\}/g), ([, name]) => name!).filter((name) =>
    !all.some((one) => one.in === "path" && one.name === name)
  );
  const styles = [
    ...all.map((one) => [`${PARTS[one.in]}.${one.name}`, styleOf(one)] as const),
    ...fieldStyles(operation).map(([field, style]) => [`body.${field}`, style] as const),
  ];
  return {
    name: `${method.toUpperCase()} ${template}`,
    method,
    path: routePath(template, wildcards.of(template)),
    operation,
    parameters: [...all.map((one) => known(one, schemas)), ...unsaid.map(unsaidParameter)],
    styles: Object.fromEntries(styles.filter(([, style]) => style !== undefined)) as Record<string, string>,
  };
}

/** A path parameter that the document does not describe. */
function unsaidParameter(name: string): KnownParameter {
  return { part: "params", name, location: "path", schema: { type: "string" }, isRequired: true, isFree: false };
}

function known(parameter: OpenApiParameter, schemas: Schemas): KnownParameter {
  const { name, in: location, required, schema, example } = parameter;
  const isFree = isFreeQuery(parameter, ($ref) => schemas.resolve({ $ref }));
  return {
    part: PARTS[location],
    name,
    location,
    schema,
    isRequired: required === true || location === "path",
    isFree,
    example,
  };
}

/**
 * Converts a draft to a call to the client's runtime.
 *
 * @param draft The draft
 */
export function callOf({ body, ...parts }: Draft): Call {
  if (body === undefined) return parts;
  const { type } = body;
  if ("text" in body) return { ...parts, body: body.text, contentType: type };
  const { value } = body;
  if (type === "multipart/form-data") return { ...parts, form: withFiles(value) };
  if (type === "application/x-www-form-urlencoded") return { ...parts, urlencoded: value as Record<string, unknown> };
  const isText = typeof value === "string" && !isJson(type);
  const text = isText ? value : JSON.stringify(value);
  return { ...parts, body: text, contentType: oneType(type) };
}

/** Returns a media type in a range. */
function oneType(range: string): string {
  return range.replace("*/*", "application/*").replace("text/*", "text/plain").replace("*", "octet-stream");
}

/** Whether a media type is JSON. */
export function isJson(type: string): boolean {
  return type === "application/json" || type.endsWith("+json");
}

function withFiles(value: unknown): Record<string, unknown> {
  const one = (field: unknown): unknown => {
    if (typeof field !== "object" || field === null || !("file" in field)) return field;
    const { file, text } = field as { file: string; text: string };
    return new File([text], "file", { type: file });
  };
  const fields = Object.entries(value as object).map(([name, field]) =>
    [name, Array.isArray(field) ? field.map(one) : one(field)] as const
  );
  return Object.fromEntries(fields);
}

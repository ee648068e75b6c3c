import type { JsonSchema, OpenApiOperation } from "../document/openapi_document.ts";
import { type Draft, isJson, type KnownOperation } from "./draft.ts";
import type { Schemas } from "./schemas.ts";
import { isFile } from "./values.ts";

/** A request that a document forbids. */
export interface InvalidDraft {
  /** The request. */
  readonly draft: Draft;
  /** Its fault, such as `query page`; several requests may share it. */
  readonly where: string;
  /** The invalid value there. */
  readonly what: string;
  /** Whether a body parser rejects it, before anything the document describes responds. */
  readonly isUnreadable?: true;
}

/** Strings that a parameter may not allow; the empty string is left out, because forms send it for numbers too. */
const TEXTS = ["~", "-1", "1.5", "true", "99999999999999999999", "x".repeat(300)];

/** Values that parts of a body may not allow. */
const VALUES: readonly unknown[] = [null, true, 7.5, -1, "", "~", "x".repeat(300), [], {}];

/** A field name that is in no schema. */
const UNEXPECTED = "unexpectedField";

/**
 * Generates requests that differ from a valid one in a single way that the document forbids.
 *
 * @param known The operation
 * @param valid A valid request
 * @param schemas The document's schemas
 */
export function* invalidDrafts(known: KnownOperation, valid: Draft, schemas: Schemas): Generator<InvalidDraft> {
  for (const { part, name, schema, isRequired, isFree } of known.parameters) {
    if (isFree) continue;
    const where = `${part} ${name}`;
    const others = Object.fromEntries(Object.entries(valid[part]).filter(([one]) => one !== name));
    // without it, it is a different path
    if (isRequired && part !== "params") yield { draft: { ...valid, [part]: others }, where, what: "nothing" };
    for (const text of forbiddenTexts(schema, schemas)) {
      // an empty segment is a different path, too
      if (text === "" && part === "params") continue;
      yield { draft: { ...valid, [part]: { ...others, [name]: text } }, where, what: JSON.stringify(text) };
    }
  }
  if (valid.body !== undefined && "value" in valid.body) yield* invalidBodies(known.operation, valid, schemas);
}

function forbiddenTexts(schema: JsonSchema, schemas: Schemas): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength } = schemas.resolve(schema) as Record<
    string,
    number | undefined
  >;
  const beyond = [
    ...minimum === undefined ? [] : [minimum - 1],
    ...maximum === undefined ? [] : [maximum + 1],
    ...[exclusiveMinimum, exclusiveMaximum].filter((bound) => bound !== undefined),
  ];
  const all = [...TEXTS, ...beyond.filter((one) => Math.abs(one) < 1e15).map(String), ...minLength === 1 ? [""] : []];
  return all.filter((text) => !readings(text).some((one) => schemas.allows(schema, one)));
}

/** Values that a server may read from a string, depending on its schema. */
function readings(text: string): unknown[] {
  const single = [
    text,
    ...text === "true" || text === "false" ? [text === "true"] : [],
    ...text !== "" && !Number.isNaN(Number(text)) ? [Number(text)] : [],
  ];
  return [...single, ...single.map((one) => [one])];
}

function* invalidBodies({ requestBody }: OpenApiOperation, valid: Draft, schemas: Schemas): Generator<InvalidDraft> {
  const { type, value } = valid.body as { type: string; value: unknown };
  const schema = requestBody!.content[type]?.schema;
  const withBody = (body: Draft["body"]): Draft => {
    const { body: _, ...parts } = valid;
    return body === undefined ? parts : { ...parts, body };
  };
  const isRequired = requestBody!.required === true;
  if (isRequired) yield { draft: withBody(undefined), where: "body", what: "nothing" };
  if (schema === undefined) return;
  if (isJson(type)) {
    yield { draft: withBody({ type, text: "{" }), where: "body", what: "text that is not JSON", isUnreadable: true };
    for (const { pointer, what, root } of mutants(value)) {
      if (schemas.allows(schema, root)) continue;
      const where = `body ${pointer.replace(/\/\d+(?=\/|$)/g, "/*")}`.trimEnd();
      // strict parsers only accept objects and arrays
      const isRefusedEarly = typeof root !== "object" || root === null;
      const draft = withBody({ type, value: root });
      yield { draft, where, what, ...isRefusedEarly ? { isUnreadable: true as const } : {} };
    }
    return;
  }
  if (!isForm(type)) return;
  const { properties = {}, required = [] } = schemas.resolve(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  for (const [name, one] of Object.entries(properties)) {
    const others = Object.fromEntries(Object.entries(value as object).filter(([field]) => field !== name));
    const where = `body /${name}`;
    if (required.includes(name)) yield { draft: withBody({ type, value: others }), where, what: "nothing" };
    if (hasFiles(one, schemas)) continue;
    for (const text of forbiddenTexts(one, schemas)) {
      yield { draft: withBody({ type, value: { ...others, [name]: text } }), where, what: JSON.stringify(text) };
    }
  }
}

function isForm(type: string): boolean {
  return type === "multipart/form-data" || type === "application/x-www-form-urlencoded";
}

function hasFiles(schema: JsonSchema, schemas: Schemas): boolean {
  const own = schemas.resolve(schema);
  return own["format"] === "binary" || (own["type"] === "array" && hasFiles(own["items"] as JsonSchema ?? {}, schemas));
}

/** A value that differs from a given value in one part. */
interface Mutant {
  readonly pointer: string;
  readonly what: string;
  readonly root: unknown;
}

function* mutants(value: unknown): Generator<Mutant> {
  for (const other of VALUES) {
    if (JSON.stringify(other) !== JSON.stringify(value)) {
      const text = JSON.stringify(other);
      yield { pointer: "", what: text.length > 60 ? `${other as string}`.slice(0, 20) + "…" : text, root: other };
    }
  }
  if (typeof value !== "object" || value === null || isFile(value)) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      for (const { pointer, what, root } of mutants(item)) {
        yield { pointer: `/${i}${pointer}`, what, root: value.with(i, root) };
      }
    }
    return;
  }
  yield { pointer: `/${UNEXPECTED}`, what: "a field that the schema forbids", root: { ...value, [UNEXPECTED]: 1 } };
  for (const [name, field] of Object.entries(value)) {
    const { [name]: _, ...others } = value as Record<string, unknown>;
    const at = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    yield { pointer: at, what: "nothing", root: others };
    for (const { pointer, what, root } of mutants(field)) {
      yield { pointer: at + pointer, what, root: { ...value, [name]: root } };
    }
  }
}

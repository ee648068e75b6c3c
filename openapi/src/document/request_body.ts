import type { FileDetails, OperationDetails } from "../metadata/operation.ts";
import { type Serialization, serializationOf } from "../metadata/serialization.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import { objectShape } from "../schema/object_shape.ts";
import { alternatives, isOnly, isSchema, kindsOf } from "../schema/schema_kinds.ts";
import type { Components } from "./components.ts";
import type { OpenApiMedia, OpenApiOperation } from "./openapi_document.ts";

const MULTIPART = "multipart/form-data";
const URLENCODED = "application/x-www-form-urlencoded";

/** Media types for parsers that do not declare them, by name: npm's, with default options, and `upload`. */
const READ_BY: Readonly<Record<string, string>> = {
  jsonParser: "application/json",
  urlencodedParser: URLENCODED,
  textParser: "text/plain",
  rawParser: "application/octet-stream",
  upload: MULTIPART,
  multerMiddleware: MULTIPART,
};

/**
 * Media types that a function before a handler reads.
 *
 * @param name Its name
 * @param reads Its own declaration
 */
export function readBy(name: string, reads: readonly string[] | undefined): readonly string[] {
  return reads ?? (Object.hasOwn(READ_BY, name) ? [READ_BY[name]!] : []);
}

/** Methods whose requests have meaningful bodies. */
const WITH_BODY = new Set(["post", "put", "patch"]);

/** Facts about a body. */
export interface BodyFacts {
  /** The route's method in lower case. */
  readonly method: string;
  /** Media types that the parsers before the handler read. */
  readonly reads: readonly string[];
  /** Its schemas, all of which must be satisfied. */
  readonly schemas: readonly JsonSchema[];
  /** Whether a request without a body is rejected. */
  readonly required: boolean;
  /** The program's declarations about the route. */
  readonly said: OperationDetails;
  /** The program's serialization for form fields. */
  readonly serialization: Readonly<Record<string, Serialization>>;
}

/**
 * Describes a request's body.
 *
 * @param facts Facts about it
 * @param components Resolves references
 * @returns `undefined` if nothing is known about it
 */
export function requestBody(facts: BodyFacts, components: Components): OpenApiOperation["requestBody"] {
  const { method, reads, schemas, said, serialization } = facts;
  const { consumes, files } = said;
  const required = facts.required || Object.values(files ?? {}).some((file) => file.required === true);
  const parsed = new Set(reads);
  // an application-wide parser means nothing for a GET
  if (schemas.length === 0 && consumes === undefined && files === undefined) {
    if (!WITH_BODY.has(method) || parsed.size === 0) return undefined;
  }
  const known = [...parsed, ...files !== undefined && !parsed.has(MULTIPART) ? [MULTIPART] : []];
  const schema = schemas.length > 1 ? { allOf: [...schemas] } : schemas[0];
  const types = consumes ?? typesFor(schema, known, files ?? {}, components);
  const example = said.examples?.body;
  const content = types.map((type): [string, OpenApiMedia] => {
    const media = type === MULTIPART ? form(schema, files ?? {}, components) : {
      ...schema === undefined ? {} : { schema },
      ...type === URLENCODED ? fieldsOf(schema, serialization, components) : {},
    };
    return [type, { ...media, ...example === undefined ? {} : { example } }];
  });
  return { ...required ? { required } : {}, content: Object.fromEntries(content) };
}

/** The media types for bodies that can satisfy the schema; all media types if none can, or if there is no schema. */
function typesFor(
  schema: JsonSchema | undefined,
  known: readonly string[],
  files: Readonly<Record<string, FileDetails>>,
  components: Components,
): readonly string[] {
  const resolve = (one: JsonSchema): JsonSchema => components.resolve(one);
  const kinds = kindsOf(schema ?? {}, resolve);
  const { properties, required } = objectShape(schema ?? {}, resolve);
  const hasFile = Object.values(files).some((file) => file.required === true) ||
    [...required].some((name) => properties.has(name) && isFile(properties.get(name)!, resolve));
  const may = (...some: readonly string[]): boolean => kinds.has("any") || some.some((kind) => kinds.has(kind));
  const possible = known.filter((type) => {
    if (type === MULTIPART) return may("object");
    if (hasFile) return false;
    if (type === URLENCODED) return may("object");
    // JSON parsers accept only objects and arrays by default
    if (/[/+]json$/.test(type)) return may("object", "array");
    return !type.startsWith("text/") || may("string");
  });
  if (possible.length > 0) return possible;
  return known.length > 0 ? known : ["application/json"];
}

function isFile(schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): boolean {
  const [first] = alternatives(schema, resolve);
  if (first === undefined) return false;
  return first["type"] === "array" && isSchema(first["items"])
    ? isFile(first["items"], resolve)
    : first["format"] === "binary";
}

/** How fields with arrays and objects are serialized, where that is not OpenAPI's default. */
function fieldsOf(
  schema: JsonSchema | undefined,
  given: Readonly<Record<string, Serialization>>,
  components: Components,
): Pick<OpenApiMedia, "encoding"> {
  const resolve = (one: JsonSchema): JsonSchema => components.resolve(one);
  const fields = [...objectShape(schema ?? {}, resolve).properties].flatMap(([name, one]) => {
    const kinds = kindsOf(one, resolve);
    const own = serializationOf("body", kinds, given[name]);
    const isWritten = isOnly(kinds, "object") || (isOnly(kinds, "array") && !(own.style === "form" && own.explode));
    return isWritten ? [[name, own] as const] : [];
  });
  return fields.length === 0 ? {} : { encoding: Object.fromEntries(fields) };
}

/** A form with files: the schema describes its other fields, whose objects are JSON. */
function form(
  schema: JsonSchema | undefined,
  files: Readonly<Record<string, FileDetails>>,
  components: Components,
): OpenApiMedia {
  const names = Object.keys(files);
  const resolve = (one: JsonSchema): JsonSchema => components.resolve(one);
  const shape = objectShape(schema ?? {}, resolve);
  const file = { type: "string", format: "binary" };
  const fields = names.map((name) =>
    [name, files[name]!.maxCount === 1 ? file : { type: "array", items: file }] as const
  );
  const types = new Map([...shape.properties].map(([name, one]) => [name, mediaTypesOf(one, resolve)] as const));
  for (const name of names) types.set(name, files[name]!.types ?? []);
  const encoding = [...types].filter(([, own]) => own.length > 0);
  const encoded = encoding.length === 0
    ? {}
    : { encoding: Object.fromEntries(encoding.map(([name, own]) => [name, { contentType: own.join(", ") }])) };
  if (names.length === 0) return { schema: schema ?? { type: "object" }, ...encoded };
  const required = new Set([...shape.required, ...names.filter((name) => files[name]!.required === true)]);
  return {
    schema: {
      type: "object",
      properties: { ...Object.fromEntries(shape.properties), ...Object.fromEntries(fields) },
      ...required.size > 0 ? { required: [...required] } : {},
    },
    ...encoded,
  };
}

/** Media types that a schema requires for a file, or for each file in an array. */
function mediaTypesOf(schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): readonly string[] {
  return alternatives(schema, resolve).flatMap((one): readonly string[] => {
    const { contentMediaType, items } = one;
    if (typeof contentMediaType === "string") return [contentMediaType];
    return one["type"] === "array" && isSchema(items) ? mediaTypesOf(items, resolve) : [];
  });
}

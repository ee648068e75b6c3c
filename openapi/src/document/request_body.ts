import type { FileDetails, OperationDetails } from "../metadata/operation.ts";
import type { Components } from "./components.ts";
import { objectShape } from "./object_shape.ts";
import type { JsonSchema, OpenApiMedia, OpenApiOperation } from "./openapi_document.ts";

/** What parsers read that do not say so themselves, by their names: those of npm, without options, and `upload`. */
const READ_BY: Readonly<Record<string, string>> = {
  jsonParser: "application/json",
  urlencodedParser: "application/x-www-form-urlencoded",
  textParser: "text/plain",
  rawParser: "application/octet-stream",
  upload: "multipart/form-data",
  multerMiddleware: "multipart/form-data",
};

const MULTIPART = "multipart/form-data";

/**
 * Media types that a function in front of a handler reads.
 *
 * @param name Its name
 * @param reads What it says of itself
 */
export function readBy(name: string, reads: readonly string[] | undefined): readonly string[] {
  return reads ?? (Object.hasOwn(READ_BY, name) ? [READ_BY[name]!] : []);
}

/** Methods whose requests have bodies that mean something. */
const WITH_BODY = new Set(["post", "put", "patch"]);

/** What is known of a body. */
export interface BodyFacts {
  /** Method of the route in lower case. */
  readonly method: string;
  /** Media types that the parsers in front read. */
  readonly reads: readonly string[];
  /** Its schemas, each of which must be satisfied. */
  readonly schemas: readonly JsonSchema[];
  /** Whether a request without one is refused. */
  readonly required: boolean;
  /** What the program says of the route. */
  readonly said: OperationDetails;
}

/**
 * What a request's body may be.
 *
 * @param facts What is known of it
 * @param components Where references lead
 * @returns `undefined` if nothing is known of it
 */
export function requestBody(facts: BodyFacts, components: Components): OpenApiOperation["requestBody"] {
  const { method, reads, schemas, required, said } = facts;
  const { consumes, files } = said;
  const parsed = new Set(reads);
  // a parser for the whole application says nothing of a GET
  if (schemas.length === 0 && consumes === undefined && files === undefined) {
    if (!WITH_BODY.has(method) || parsed.size === 0) return undefined;
  }
  const known = consumes ?? [...parsed, ...files !== undefined && !parsed.has(MULTIPART) ? [MULTIPART] : []];
  const types = known.length > 0 ? known : ["application/json"];
  const schema = schemas.length > 1 ? { allOf: [...schemas] } : schemas[0];
  const example = said.examples?.body;
  const content = types.map((type): [string, OpenApiMedia] => {
    const media = type === MULTIPART ? form(schema, files ?? {}, components) : schema === undefined ? {} : { schema };
    return [type, { ...media, ...example === undefined ? {} : { example } }];
  });
  return { ...required ? { required } : {}, content: Object.fromEntries(content) };
}

/** A form with files: the schema has its other fields. */
function form(
  schema: JsonSchema | undefined,
  files: Readonly<Record<string, FileDetails>>,
  components: Components,
): OpenApiMedia {
  const names = Object.keys(files);
  if (names.length === 0) return { schema: schema ?? { type: "object" } };
  const shape = objectShape(schema ?? {}, (one) => components.resolve(one));
  const file = { type: "string", format: "binary" };
  const fields = names.map((name) =>
    [name, files[name]!.maxCount === 1 ? file : { type: "array", items: file }] as const
  );
  const encoding = names.flatMap((name) => {
    const { types } = files[name]!;
    return types === undefined ? [] : [[name, { contentType: types.join(", ") }] as const];
  });
  const required = [...shape.required];
  return {
    schema: {
      type: "object",
      properties: { ...Object.fromEntries(shape.properties), ...Object.fromEntries(fields) },
      ...required.length > 0 ? { required } : {},
    },
    ...encoding.length > 0 ? { encoding: Object.fromEntries(encoding) } : {},
  };
}

import type { Request } from "@sluice/sluice";
import type { Serialization } from "../metadata/serialization.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import { NATIVE } from "../schema/library_options.ts";
import { objectShape } from "../schema/object_shape.ts";
import { alternatives, kindsOf, localReferences, type Resolve } from "../schema/schema_kinds.ts";
import { partReader, type Values } from "./part_reader.ts";
import { type ReadValue, ValueReaders } from "./value_readers.ts";

/** Converts a body to a value that its schema accepts. */
export type ReadBody = (body: unknown, req: Request) => unknown;

/** A file in a form, as set by `upload` and multer. */
interface FormFile {
  readonly fieldname: string;
  readonly originalname: string;
  readonly mimetype: string;
  readonly buffer?: Uint8Array<ArrayBuffer>;
}

/**
 * Creates a function that reads bodies as the document defines: forms, whose fields are strings, JSON or files, and
 * JSON, in which dates are strings and sets are arrays.
 *
 * @param json The body's JSON Schema
 * @param given The program's serialization of fields
 */
export function bodyReader(json: JsonSchema, given?: Readonly<Record<string, Serialization>>): ReadBody {
  const resolve = localReferences(json);
  const hasNatives = JSON.stringify(json).includes(`"${NATIVE}"`);
  const fromJson = hasNatives ? new ValueReaders(resolve, "json").reader(json) : undefined;
  const fromForm = partReader("body", json, given);
  const fromParts = partsReader(json, resolve);
  return (body, req) => {
    const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
    if (isObject && req.is("urlencoded") === "urlencoded") return fromForm === undefined ? body : fromForm(body, req);
    if (isObject && req.is("multipart/form-data")) return fromParts(body as Values, req);
    return fromJson === undefined ? body : fromJson(body);
  };
}

function partsReader(json: JsonSchema, resolve: Resolve): (body: Values, req: Request) => Values {
  const values = new ValueReaders(resolve, "part");
  const fields = [...objectShape(json, resolve).properties].map(([name, schema]) => ({
    name,
    read: values.reader(schema),
    takes: fileTaker(schema, resolve),
  }));
  return (body, req) => {
    const read: Record<string, unknown> = Object.assign(Object.create(Object.getPrototypeOf(body)), body);
    for (const { name, read: value, takes } of fields) {
      const found = Object.hasOwn(body, name)
        ? body[name]
        : takes === undefined
        ? undefined
        : fileValue(req, name, takes);
      if (found !== undefined) read[name] = value === undefined ? found : value(found);
    }
    return read;
  };
}

/** How a field converts a file; `undefined` if it accepts none. */
function fileTaker(schema: JsonSchema, resolve: Resolve): ReadValue | undefined {
  const [first] = alternatives(schema, resolve);
  if (first === undefined) return undefined;
  const { items } = first;
  const one = first["type"] === "array" && typeof items === "object" && items !== null
    ? resolve(items as JsonSchema)
    : first;
  const kinds = kindsOf(one, resolve);
  if (one["format"] === "binary" || one["contentEncoding"] === "binary" || kinds.has("any")) return asFile;
  return kinds.has("string") ? undefined : asText;
}

function fileValue(req: Request, name: string, take: ReadValue): unknown {
  const { files, file } = req as { files?: FormFile[] | Record<string, FormFile[]>; file?: FormFile };
  const all = Array.isArray(files) ? files : files?.[name] ?? (file === undefined ? [] : [file]);
  const own = all.filter(({ fieldname }) => fieldname === name).map(take).filter((one) => one !== undefined);
  return own.length > 1 ? own : own[0];
}

/** Converts a file in memory to a `File`; files stored elsewhere stay unchanged. */
function asFile(file: unknown): unknown {
  const { buffer, originalname, mimetype } = file as FormFile;
  return buffer === undefined ? undefined : new File([buffer], originalname, { type: mimetype });
}

/** Reads a JSON part that has a file name because a script made it from a `Blob`. */
function asText(file: unknown): unknown {
  const { buffer, mimetype } = file as FormFile;
  return buffer === undefined || mimetype !== "application/json" ? undefined : new TextDecoder().decode(buffer);
}

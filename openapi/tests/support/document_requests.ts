import type { OpenApiDocument, OpenApiMedia, OpenApiOperation, OpenApiParameter } from "@sluice/openapi";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { SchemaValues } from "./schema_values.ts";

/** A request that a document allows, before serialization. */
export interface DraftRequest {
  readonly path: string;
  /** In lower case, as in the document. */
  readonly method: string;
  readonly operation: OpenApiOperation;
  /** The values of the parameters that it has. */
  readonly values: readonly { readonly parameter: OpenApiParameter; readonly value: unknown }[];
  /** Its body, in which files are of the class {@linkcode TextFile}. */
  readonly body?: { readonly type: string; readonly value: unknown; readonly media: OpenApiMedia };
}

/** A request that a document allows, from a client that has only the document. */
export interface MadeRequest {
  /** Path and query. */
  readonly target: string;
  /** Method, headers and body. */
  readonly init: RequestInit;
}

/** A file that knows its content without a promise. */
export class TextFile extends File {
  constructor(readonly content: string, type: string) {
    super([content], "file", { type });
  }
}

type Values = Record<string, unknown>;

/** Makes requests from a document, with parameters and bodies serialized by its `style`, `explode` and `encoding`. */
export class DocumentRequests {
  readonly #values: SchemaValues;
  readonly #texts: SchemaValues;
  readonly #pick: Pick;

  /**
   * @param document The document
   * @param pick Picks random values
   * @param letters The characters of strings in paths, queries and bodies
   */
  constructor(document: OpenApiDocument, pick: Pick, letters?: string) {
    this.#values = new SchemaValues(document, pick);
    this.#texts = new SchemaValues(document, pick, letters);
    this.#pick = pick;
  }

  /** A request that an operation allows, serialized. */
  valid(path: string, method: string, operation: OpenApiOperation): MadeRequest {
    return written(this.draft(path, method, operation));
  }

  /** A request that an operation allows. */
  draft(path: string, method: string, operation: OpenApiOperation): DraftRequest {
    const { parameters = [], requestBody } = operation;
    const values = parameters.flatMap((parameter) =>
      parameter.required !== true && this.#pick(2) === 0 ? [] : [{ parameter, value: this.#valueOf(parameter) }]
    );
    const draft = { path, method, operation, values };
    if (requestBody === undefined || (requestBody.required !== true && this.#pick(4) === 0)) return draft;
    const [type, media] = oneOf(this.#pick, Object.entries(requestBody.content));
    return { ...draft, body: { type, media, value: this.#bodyOf(type, media) } };
  }

  #valueOf({ in: part, schema }: OpenApiParameter): unknown {
    const values = part === "query" || part === "path" ? this.#texts : this.#values;
    for (;;) {
      const value = values.allowed(schema);
      // an empty segment cannot be written
      if (isWritable(value) && (value !== "" || part === "query")) return value;
    }
  }

  #bodyOf(type: string, { schema = {}, encoding = {} }: OpenApiMedia): unknown {
    for (;;) {
      const value = this.#texts.allowed(schema);
      if (!/form/.test(type)) return value;
      if (!Object.values(value as Values).every(isWritable)) continue;
      return type === "multipart/form-data" ? withFiles(value as Values, schema, encoding) : value;
    }
  }
}

/** Whether text can express a value: an empty list or object leaves nothing to write. */
function isWritable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const own = Object.values(value);
  return own.length > 0 && own.every(isWritable);
}

/** The values of a form, with a file wherever the schema has one. */
function withFiles(values: Values, schema: Values, encoding: NonNullable<OpenApiMedia["encoding"]>): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const property = Object(Object(schema["properties"])[name]) as Values;
      const item = property["type"] === "array" ? Object(property["items"]) as Values : property;
      if (item["format"] !== "binary") return [name, value];
      const [mediaType = "application/octet-stream"] = encoding[name]?.contentType?.split(", ") ?? [];
      const file = (text: unknown) => new TextFile(String(text), mediaType.replace("*", "png"));
      return [name, Array.isArray(value) ? value.map(file) : file(value)];
    }),
  );
}

/** Serializes a request as its document describes. */
export function written({ path, method, values, body }: DraftRequest): MadeRequest {
  let target = path;
  const query: string[] = [];
  const headers = new Headers();
  const cookies: string[] = [];
  for (const { parameter, value } of values) {
    const pairs = writtenValue(parameter, value);
    switch (parameter.in) {
      case "path":
        target = target.replace(`{${parameter.name}}`, pairs.join(""));
        break;
      case "query":
        query.push(...pairs);
        break;
      case "header":
        if (pairs.length > 0) headers.set(parameter.name, pairs.join(""));
        break;
      case "cookie":
        cookies.push(...pairs);
    }
  }
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  const init = {
    method: method.toUpperCase(),
    headers,
    ...body === undefined ? {} : { body: writtenBody(body, headers) },
  };
  return { target: query.length === 0 ? target : `${target}?${query.join("&")}`, init };
}

function writtenBody({ type, value, media }: NonNullable<DraftRequest["body"]>, headers: Headers): BodyInit {
  if (type === "multipart/form-data") return toForm(value as object);
  headers.set("content-type", type);
  if (type !== "application/x-www-form-urlencoded") return /json/.test(type) ? JSON.stringify(value) : String(value);
  return Object.entries(value as Values).flatMap(([name, one]) => {
    const { style = "form", explode = style === "form" } = media.encoding?.[name] ?? {};
    return writtenValue({ name, in: "query", style, explode, schema: {} }, one);
  }).join("&");
}

/** A form: files, objects as JSON, and strings. */
export function toForm(values: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one instanceof File) form.append(name, one);
      else if (typeof one === "object") {
        form.append(name, new Blob([JSON.stringify(one)], { type: "application/json" }));
      } else form.append(name, String(one));
    }
  }
  return form;
}

/** Serializes a parameter for the URL or a header (OpenAPI 3.1, style values; RFC 6570). */
function writtenValue({ name, in: part, style, explode, schema: _ }: OpenApiParameter, value: unknown): string[] {
  const own = style ?? (part === "path" || part === "header" ? "simple" : "form");
  const isExploded = explode ?? own === "form";
  const text = (one: unknown) => part === "header" ? String(one) : encodeURIComponent(String(one));
  if (own === "simple") {
    if (Array.isArray(value)) return [value.map(text).join(",")];
    if (typeof value !== "object" || value === null) return [text(value)];
    return [
      Object.entries(value).flatMap(([key, one]) => isExploded ? `${key}=${text(one)}` : [key, text(one)]).join(","),
    ];
  }
  const separator = { spaceDelimited: "%20", pipeDelimited: "|" }[own] ?? ",";
  if (Array.isArray(value)) {
    return isExploded ? value.map((one) => `${name}=${text(one)}`) : [`${name}=${value.map(text).join(separator)}`];
  }
  if (typeof value !== "object" || value === null) return [`${name}=${text(value)}`];
  const entries = Object.entries(value);
  if (own !== "deepObject") {
    return isExploded
      ? entries.map(([key, one]) => `${key}=${text(one)}`)
      : [`${name}=${entries.flatMap(([key, one]) => [key, text(one)]).join(",")}`];
  }
  return entries.flatMap(([key, one]) => {
    const path = encodeURIComponent(`${name}[${key}]`);
    return (Array.isArray(one) ? one : [one]).map((each) => `${path}=${text(each)}`);
  });
}

import type { OpenApiDocument, OpenApiMedia, OpenApiOperation, OpenApiParameter } from "@sluice/openapi";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import { SchemaValues } from "./schema_values.ts";

/** A request that a document allows, from a client that has only the document. */
export interface MadeRequest {
  /** Path and query. */
  readonly target: string;
  /** Method, headers and body. */
  readonly init: RequestInit;
}

type Values = Record<string, unknown>;

/** Makes requests from a document, with parameters and bodies serialized by its `style`, `explode` and `encoding`. */
export class DocumentRequests {
  readonly #values: SchemaValues;
  readonly #pick: Pick;

  /**
   * @param document The document
   * @param pick Picks random values
   */
  constructor(document: OpenApiDocument, pick: Pick) {
    this.#values = new SchemaValues(document, pick);
    this.#pick = pick;
  }

  /** A request that an operation allows. */
  valid(path: string, method: string, { parameters = [], requestBody }: OpenApiOperation): MadeRequest {
    let target = path;
    const query: string[] = [];
    const headers = new Headers();
    const cookies: string[] = [];
    for (const parameter of parameters) {
      if (parameter.required !== true && this.#pick(2) === 0) continue;
      const pairs = written(parameter, this.#valueOf(parameter));
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
    const body = requestBody === undefined || (requestBody.required !== true && this.#pick(4) === 0)
      ? undefined
      : this.#body(oneOf(this.#pick, Object.entries(requestBody.content)), headers);
    const init = { method: method.toUpperCase(), headers, ...body === undefined ? {} : { body } };
    return { target: query.length === 0 ? target : `${target}?${query.join("&")}`, init };
  }

  #valueOf({ in: part, schema }: OpenApiParameter): unknown {
    for (;;) {
      const value = this.#values.allowed(schema);
      // an empty list or segment cannot be written
      const isEmpty = value === "" || (Array.isArray(value) && value.length === 0);
      if (!(isEmpty && part !== "query") && !(Array.isArray(value) && value.length === 0)) return value;
    }
  }

  #bodyOf(schema: Values, isForm: boolean): unknown {
    for (;;) {
      const value = this.#values.allowed(schema);
      // nor can an empty list in a form
      if (!isForm || !Object.values(value as Values).some((one) => Array.isArray(one) && one.length === 0)) {
        return value;
      }
    }
  }

  #body([type, { schema = {}, encoding = {} }]: [string, OpenApiMedia], headers: Headers): BodyInit {
    const value = this.#bodyOf(schema, /form/.test(type));
    if (type === "multipart/form-data") return parts(value as Values, schema, encoding);
    headers.set("content-type", type);
    if (type !== "application/x-www-form-urlencoded") return /json/.test(type) ? JSON.stringify(value) : String(value);
    return Object.entries(value as Values).flatMap(([name, one]) => {
      const { style = "form", explode = style === "form" } = encoding[name] ?? {};
      return written({ name, in: "query", style, explode, schema: {} }, one);
    }).join("&");
  }
}

/** A form: files, objects as JSON, and strings. */
function parts(values: Values, schema: Values, encoding: NonNullable<OpenApiMedia["encoding"]>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) {
    const property = Object(Object(schema["properties"])[name]) as Values;
    const item = property["type"] === "array" ? Object(property["items"]) as Values : property;
    const [mediaType = "application/octet-stream"] = encoding[name]?.contentType?.split(", ") ?? [];
    for (const one of Array.isArray(value) ? value : [value]) {
      if (item["format"] === "binary") {
        form.append(name, new File([String(one)], "file", { type: mediaType.replace("*", "png") }));
      } else if (typeof one === "object") {
        form.append(name, new Blob([JSON.stringify(one)], { type: "application/json" }));
      } else form.append(name, String(one));
    }
  }
  return form;
}

/** Serializes a parameter for the URL or a header (OpenAPI 3.1, style values; RFC 6570). */
function written({ name, in: part, style, explode, schema: _ }: OpenApiParameter, value: unknown): string[] {
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

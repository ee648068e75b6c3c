import type { OpenApiParameter } from "../document/openapi_document.ts";

/**
 * Fills in a request's path and query.
 *
 * @param template The path, as in the document
 * @param inputs The parameters, by their names in the input
 * @param input Their values
 * @throws {TypeError} If a path parameter is missing, or would lead to a different path
 */
export function writePath(
  template: string,
  inputs: ReadonlyMap<string, OpenApiParameter>,
  input: Readonly<Record<string, unknown>>,
): string {
  let path = template;
  const query = new URLSearchParams();
  for (const [name, parameter] of inputs) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, () => segment(name, value));
    else if (value !== undefined && value !== null) writeQuery(query, parameter, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function segment(name: string, value: unknown): string {
  const text = value === undefined || value === null ? "" : String(value);
  // URLs resolve dots even if they are encoded
  if (text === "" || text === "." || text === "..") {
    throw new TypeError(`${name} is part of the path: it must be a string or a number, not ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(text);
}

function writeQuery(query: URLSearchParams, { name, style, explode }: OpenApiParameter, value: unknown): void {
  if (Array.isArray(value)) return value.forEach((one) => query.append(name, textOf(one)));
  if (typeof value !== "object") return query.append(name, textOf(value));
  for (const [key, one] of Object.entries(value as object)) {
    // names that the schema does not define are separate parameters
    query.append(style === "form" && explode === true ? key : `${name}[${key}]`, textOf(one));
  }
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

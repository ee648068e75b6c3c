import type { OpenApiOperation } from "../document/openapi_document.ts";
import { isJson } from "./draft.ts";
import type { Schemas } from "./schemas.ts";

/** The checked parts of a response. */
export interface ReadResponse {
  /** Its status. */
  readonly status: number;
  /** Its headers. */
  readonly headers: Headers;
  /** Its body as a string; `undefined` for a body that stays open, such as an event stream. */
  readonly text: string | undefined;
}

/**
 * Finds where a response contradicts the document.
 *
 * @param operation The operation
 * @param response The response
 * @param schemas The document's schemas
 * @returns The fault, or `undefined` if the response matches
 */
export function responseFault(
  { responses }: OpenApiOperation,
  { status, headers, text }: ReadResponse,
  schemas: Schemas,
): string | undefined {
  const said = responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses["default"];
  if (said === undefined) return `the document has no response ${status}`;
  for (const [name, { schema }] of Object.entries(said.headers ?? {})) {
    const value = headers.get(name);
    if (value !== null && !schemas.allows(schema, value) && !schemas.allows(schema, Number(value))) {
      return `the header ${name} of ${status} is ${JSON.stringify(value)}, which the document does not allow`;
    }
  }
  // a description alone does not constrain the body
  if (said.content === undefined) return undefined;
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined) {
    return text === "" || text === undefined ? undefined : `${status} has a body without a Content-Type`;
  }
  const media = Object.entries(said.content).find(([name]) => matches(name.split(";")[0]!.trim().toLowerCase(), type));
  if (media === undefined) {
    return `${status} is ${type}, but in the document it is ${Object.keys(said.content).join(" or ")}`;
  }
  const { schema } = media[1];
  if (schema === undefined || text === undefined || !isJson(type)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `${status} claims to be JSON, but is not`;
  }
  const fault = schemas.fault(schema, value);
  return fault && `the body of ${status} is not as in the document: ${fault.pointer || "the whole"}: ${fault.reason}`;
}

function matches(pattern: string, type: string): boolean {
  return pattern === type || pattern === "*/*" || (pattern.endsWith("/*") && type.startsWith(pattern.slice(0, -1)));
}

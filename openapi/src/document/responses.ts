import { statusText } from "@sluice/shared";
import type { ResponseDetails } from "../metadata/operation.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import type { OpenApiResponse } from "./openapi_document.ts";

/** Facts about a route's responses. */
export interface ResponseFacts {
  /** Responses with schemas, by status. */
  readonly schemas: ReadonlyMap<string, unknown>;
  /** The program's declarations about them. */
  readonly said: Readonly<Record<string, string | ResponseDetails>>;
  /** Responses from middleware that rejects requests, by status. */
  readonly refuses: Readonly<Record<string, ResponseDetails>>;
  /** Whether requests are rejected in an undeclared way. */
  readonly refusesSomehow: boolean;
  /** Names of middleware before the handler. */
  readonly names: readonly string[];
}

const TEXT = { type: "string" };
const NUMBER = { type: "integer", minimum: 0 };

const RETRY_AFTER = { description: "Seconds until the same request is granted.", schema: NUMBER };

/** Responses from middleware, by its name. Headers that an option can rename or omit are not required. */
const RESPONDING: Readonly<Record<string, readonly [status: string, OpenApiResponse]>> = {
  rateLimit: ["429", {
    description: "Too many requests",
    headers: {
      "Retry-After": RETRY_AFTER,
      "X-RateLimit-Limit": { description: "Requests per window.", schema: NUMBER },
      "X-RateLimit-Remaining": { description: "Requests left in the window.", schema: NUMBER },
      "X-RateLimit-Reset": { description: "Seconds until all are available again.", schema: NUMBER },
    },
  }],
  shedLoad: ["503", { description: "Overloaded", headers: { "Retry-After": RETRY_AFTER } }],
};

const HANDLED = "The handler's response";
const REFUSED = "The program's response to an invalid request";

/** Statuses for responses without a body. */
const WITHOUT_BODY = /^(?:1\d\d|204|205|304)$/;

/**
 * Describes a route's responses.
 *
 * @param facts Facts about them
 * @param convert Converts a schema to JSON Schema and adds it to the document
 */
export function responsesOf(
  { schemas, said, refuses, refusesSomehow, names }: ResponseFacts,
  convert: (schema: unknown, status: string) => JsonSchema,
): Record<string, OpenApiResponse> {
  const found: Record<string, OpenApiResponse> = {};
  for (const name of names) {
    if (!Object.hasOwn(RESPONDING, name)) continue;
    const [status, response] = RESPONDING[name]!;
    found[status] = response;
  }
  // the program's own responses with the same status are added
  for (const [status, details] of Object.entries(refuses)) {
    found[status] = response(status, details, convert, undefined);
  }
  for (const [status, schema] of schemas) {
    found[status] = response(status, { schema }, convert, found[status]);
  }
  for (const [status, details] of Object.entries(said)) {
    found[status] = response(
      status,
      typeof details === "string" ? { description: details } : details,
      convert,
      found[status],
    );
  }
  const isKnown = Object.keys(found).some((status) => /^[23]|^default$/.test(status));
  const unknown = [...isKnown ? [] : [HANDLED], ...refusesSomehow ? [REFUSED] : []];
  if (unknown.length > 0) found["default"] ??= { description: unknown.join("; ") };
  return found;
}

/**
 * Describes one response.
 *
 * @param status Its status
 * @param details Its details
 * @param convert Converts a schema to JSON Schema and adds it to the document
 * @param earlier Its description so far
 */
export function response(
  status: string,
  { description, schema, mediaType = "application/json", example, headers = {} }:
    & Omit<ResponseDetails, "schema">
    & { readonly schema?: unknown },
  convert: (schema: unknown, status: string) => JsonSchema,
  earlier: OpenApiResponse | undefined,
): OpenApiResponse {
  const own = Object.entries(headers).map(([name, what]) => [name, { description: what, schema: TEXT }] as const);
  const all = { ...earlier?.headers, ...Object.fromEntries(own) };
  const media = {
    ...earlier?.content?.[mediaType],
    ...schema === undefined ? {} : { schema: convert(schema, status) },
    ...example === undefined ? {} : { example },
  };
  const content = { ...earlier?.content, ...Object.keys(media).length > 0 ? { [mediaType]: media } : {} };
  return {
    description: description ?? earlier?.description ?? statusText(Number(status)) ?? status,
    ...Object.keys(all).length > 0 ? { headers: all } : {},
    ...Object.keys(content).length > 0 && !WITHOUT_BODY.test(status) ? { content } : {},
  };
}

import type { ResponseDetails } from "../metadata/operation.ts";
import { REQUEST_PARTS } from "../metadata/route_schemas.ts";
import type { AnySchema } from "../metadata/standard_schema.ts";
import { MOST_ISSUES } from "./invalid.ts";

const TEXT = { type: "string" };

/** Fields in every problem (RFC 9457). */
const PROBLEM = {
  title: "Problem",
  type: "object",
  properties: { type: TEXT, title: TEXT, status: { type: "integer" }, detail: TEXT },
  required: ["type", "title", "status", "detail"],
};

/** Fields in the problem for an invalid request. */
const INVALID_REQUEST = {
  title: "InvalidRequest",
  type: "object",
  properties: {
    ...PROBLEM.properties,
    errors: {
      type: "array",
      maxItems: MOST_ISSUES,
      items: {
        type: "object",
        properties: {
          in: { type: "string", enum: REQUEST_PARTS },
          pointer: { type: "string", description: "A JSON pointer, empty for the whole" },
          message: TEXT,
        },
        required: ["in", "pointer", "message"],
      },
    },
  },
  required: [...PROBLEM.required, "errors"],
};

/**
 * Responses from `validate` to requests it rejects, for documents.
 *
 * @param status Status for invalid requests
 * @param checksBody Whether it checks the body, which must then be read
 */
export function refusals(status: number, checksBody: boolean): Readonly<Record<number, ResponseDetails>> {
  const invalid = problem("The request is not valid", INVALID_REQUEST);
  if (!checksBody) return { [status]: invalid };
  return { [status]: invalid, 415: problem("The body has an unsupported media type", PROBLEM) };
}

function problem(description: string, json: object): ResponseDetails {
  const schema: AnySchema & { "~standard": { jsonSchema: object } } = {
    "~standard": {
      version: 1,
      vendor: "sluice",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
  return { description, schema, mediaType: "application/problem+json" };
}

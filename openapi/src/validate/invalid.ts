import type { RequestPart } from "../metadata/route_schemas.ts";
import { REDACTED } from "@sluice/shared";
import type { SchemaIssue } from "../metadata/standard_schema.ts";
import { isFieldName, keyOf, withoutInput } from "./without_input.ts";

/** An error in a request. */
export interface Invalid {
  /** Its part of the request. */
  readonly in: RequestPart;
  /** Its location there, as a JSON pointer (RFC 6901): `/items/0/name`; empty for the whole part. */
  readonly pointer: string;
  /** The schema's message, without the value. */
  readonly message: string;
}

/** Maximum number of reported issues: a list with a million mistakes need not produce a million messages. */
export const MOST_ISSUES = 100;

/**
 * Converts a schema's issue to the reported form.
 *
 * @param part The part of the request
 * @param issue The issue
 * @param value The part's value
 */
export function invalid(part: RequestPart, issue: SchemaIssue, value?: unknown): Invalid {
  return { in: part, pointer: pointerOf(issue.path), message: withoutInput(issue, value) };
}

/**
 * Converts a path to a JSON pointer (RFC 6901 section 3).
 *
 * @param path An issue's path: keys, or objects with one
 */
export function pointerOf(path: SchemaIssue["path"]): string {
  let pointer = "";
  for (const segment of path ?? []) {
    const key = String(keyOf(segment));
    const name = isFieldName(key) ? key : REDACTED;
    pointer += `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
}

/**
 * Creates problem details for an invalid request (RFC 9457).
 *
 * @param status The response status
 * @param issues The issues; the first hundred are included
 */
export function problemOf(status: number, issues: readonly Invalid[]): object {
  return {
    type: "about:blank",
    title: status === 422 ? "Unprocessable Content" : "Bad Request",
    status,
    detail: issues.length > MOST_ISSUES
      ? `The request is not valid; these are the first ${MOST_ISSUES} of ${issues.length} errors`
      : "The request is not valid",
    errors: issues.slice(0, MOST_ISSUES),
  };
}

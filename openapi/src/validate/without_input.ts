import { REDACTED } from "@sluice/shared";
import type { SchemaIssue } from "../metadata/standard_schema.ts";

/**
 * How arktype, valibot and zod quote a value, up to the end: `(was "x")`, `but received "x"`. A type name, such as `an
 * object` or `undefined`, reveals nothing. JSON.parse quotes its input.
 */
const INPUT = / \((?:was (?!(?:an? )?[A-Za-z]+\))|SyntaxError)[^]*$|(?: but|[:,;])? [Rr]eceived (?!!?[A-Za-z]+$)[^]*$/;

/** Maximum number of a value's parts to search for in a message; beyond that, a generic message replaces it. */
const MOST_PARTS = 1000;

/** Minimum length for values to search for outside quotes: shorter ones occur inside other words. */
const LONG = 4;

/**
 * Returns a schema's message without the value: it may be a password, and messages go to clients and logs.
 *
 * @param issue The schema's issue
 * @param whole The value that the schema checked
 */
export function withoutInput({ message, path = [] }: SchemaIssue, whole: unknown): string {
  const parts = new Set<string>();
  let value = whole;
  for (const segment of path) {
    const key = keyOf(segment);
    if (!isFieldName(String(key))) parts.add(String(key));
    // for a missing key, the whole value
    if (Object.hasOwn(Object(value), key)) value = (value as Record<PropertyKey, unknown>)[key];
  }
  if (!collect(value, parts)) return "Invalid";
  let text = message;
  // longest first, because it may contain others
  for (const part of [...parts].sort((a, b) => b.length - a.length)) {
    text = masked(masked(text, part), JSON.stringify(part).slice(1, -1));
  }
  return text.replace(INPUT, "");
}

/** Returns the key in a path segment. */
export function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof segment === "object" ? segment.key : segment;
}

/** Whether a key is a field name; anything else may be a body parsed as the wrong type. */
export function isFieldName(key: string): boolean {
  return key.length <= 64 && !/["'{}=&:\n]/.test(key);
}

function collect(value: unknown, parts: Set<string>): boolean {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") parts.add(String(value));
    return parts.size <= MOST_PARTS;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!isFieldName(key)) parts.add(key);
    if (!collect(inner, parts)) return false;
  }
  return true;
}

function masked(text: string, part: string): string {
  if (part === "") return text;
  return text.split(part).reduce((left, right) => {
    const around = (left.at(-1) ?? "") + (right[0] ?? "");
    const isWhole = part.length < LONG ? /^["'`(]["'`)]$/.test(around) : !/\w/.test(around);
    return left + (isWhole ? REDACTED : part) + right;
  });
}

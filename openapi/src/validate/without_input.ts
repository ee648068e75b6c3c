import { REDACTED } from "@sluice/shared";
import type { SchemaIssue } from "../metadata/standard_schema.ts";

/**
 * What arktype, valibot and zod say of a value, up to the end: `(was "x")`, `but received "x"`. The name of a kind, such as
 * `an object` and `undefined`, says nothing of it. JSON.parse quotes what it was given.
 */
const INPUT = / \((?:was (?!(?:an? )?[A-Za-z]+\))|SyntaxError)[^]*$|(?: but|[:,;])? [Rr]eceived (?!!?[A-Za-z]+$)[^]*$/;

/** Parts of a value that are looked for in a message; one with more gets a message that says nothing. */
const MOST_PARTS = 1000;

/** From how many characters on a value is looked for outside quotes: shorter ones are parts of other words. */
const LONG = 4;

/**
 * What a schema says of a value, without the value: it may be a password, and what is said goes to clients and logs.
 *
 * @param issue What the schema says
 * @param whole The value that the schema was given
 */
export function withoutInput({ message, path = [] }: SchemaIssue, whole: unknown): string {
  const parts = new Set<string>();
  let value = whole;
  for (const segment of path) {
    const key = keyOf(segment);
    if (!isFieldName(String(key))) parts.add(String(key));
    // of what is missing, all that is there
    if (Object.hasOwn(Object(value), key)) value = (value as Record<PropertyKey, unknown>)[key];
  }
  if (!collect(value, parts)) return "Invalid";
  let text = message;
  // the longest first, because it may contain others
  for (const part of [...parts].sort((a, b) => b.length - a.length)) {
    text = masked(masked(text, part), JSON.stringify(part).slice(1, -1));
  }
  return text.replace(INPUT, "");
}

/** The key in a segment of a path. */
export function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof segment === "object" ? segment.key : segment;
}

/** Whether a key is the name of a field; anything else may be a body that was read as something else than it is. */
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

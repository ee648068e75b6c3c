import { HttpError } from "../http/http_error.ts";

/**
 * Decodes the percent escapes of a path parameter.
 *
 * @param value The text as it stands in the path
 * @returns The decoded text
 * @throws {HttpError} 400 if an escape is broken, as Express answers
 */
export function decodeParam(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch (cause) {
    throw new HttpError(400, `Failed to decode param '${value}'`, { cause });
  }
}

import { parse as parseContentType } from "content-type";
import { countFields, countParts, MOST_HEAD_BYTES } from "../../http/form_parts.ts";
import { annotated } from "../../http/http_error.ts";
import { utf8Text } from "../../util/encodings.ts";
import { headTooLong, tooManyParts } from "./body_errors.ts";

/** Parses a body's bytes into a form. */
export type FormParser = (bytes: Uint8Array<ArrayBuffer>) => Promise<FormData>;

/** Valid boundaries (RFC 2046 section 5.1.1). */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/**
 * Creates the parser for a form.
 *
 * @param type The request's content type
 * @param limit Maximum number of parts or fields
 * @returns The parser; it rejects with 413 for more parts or a part header larger than 8 KiB, with 400 for a malformed
 * form
 * @throws {TypeError} If the type is not a form type or has no boundary; the error has status 400
 */
export function formParser(type: string, limit: number): FormParser {
  const { type: name, parameters: { boundary } } = parseContentType(type);
  if (name === "application/x-www-form-urlencoded") return (bytes) => fieldsOf(bytes, limit);
  if (name !== "multipart/form-data") {
    const given = type === "" ? "has none" : `is ${JSON.stringify(type)}`;
    throw malformed(
      `req.formData() reads multipart/form-data and application/x-www-form-urlencoded; the request's type ${given}`,
    );
  }
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    throw malformed(`req.formData() needs the form's boundary, and ${JSON.stringify(type)} has no valid one`);
  }
  return (bytes) => partsOf(bytes, boundary, limit);
}

// not left to the runtimes: Bun and Node's undici reject an empty form
// deno-lint-ignore require-await -- a refusal is a rejection
async function fieldsOf(bytes: Uint8Array<ArrayBuffer>, limit: number): Promise<FormData> {
  if (countFields(bytes, limit) > limit) throw tooManyParts(limit);
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(utf8Text(bytes))) form.append(name, value);
  return form;
}

// The runtimes' parsers spend more on parts than on bytes, so parts are counted first; some parsers accept part headers
// of any size.
async function partsOf(bytes: Uint8Array<ArrayBuffer>, boundary: string, limit: number): Promise<FormData> {
  const { parts, closed, hasLongHead } = countParts(bytes, boundary, limit);
  if (parts > limit) throw tooManyParts(limit);
  if (hasLongHead) throw headTooLong(MOST_HEAD_BYTES);
  // some runtimes treat a truncated form as complete
  if (!closed) throw malformed(`req.formData() found no end of the form: it must end with "--${boundary}--"`);
  // a separate type: a client must not find one that a runtime reads differently
  const type = `multipart/form-data; boundary=${/^[\w'+\-.]+$/.test(boundary) ? boundary : `"${boundary}"`}`;
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch (error) {
    throw annotated(error, 400, "entity.parse.failed");
  }
}

function malformed(message: string): Error {
  return annotated(new TypeError(message), 400, "entity.parse.failed");
}

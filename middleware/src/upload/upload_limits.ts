import { checkInteger, checkNames, type HttpError, type OptionNames } from "@sluice/shared";
import { MOST_HEAD_BYTES } from "./multipart_reader.ts";
import { refusal, type UploadErrorCode } from "./upload_error.ts";

/** Limits for a form, each of which may be `Infinity`; with multer's names where they exist. */
export interface UploadLimits {
  /** Maximum number of files, 10 by default. */
  files?: number;
  /** Maximum bytes in a file, 10 MiB by default. */
  fileSize?: number;
  /** Maximum number of fields that are not files, 100 by default. */
  fields?: number;
  /** Maximum bytes in such a field's value, 100 KiB by default. */
  fieldSize?: number;
  /** Maximum bytes in a field's name, 100 by default. */
  fieldNameSize?: number;
  /** Maximum number of parts, files and fields; by default the sum of `files` and `fields`. */
  parts?: number;
  /** Maximum bytes in the whole body; by default the sum of the other limits. */
  total?: number;
  /** Maximum bytes in memory for all forms in the process, until their responses have ended: 256 MiB by default. */
  memory?: number;
}

/** Limits with all defaults. */
export type CheckedLimits = Readonly<Required<UploadLimits>>;

const KIB = 1024;
const MIB = 1024 * KIB;

const DEFAULTS: Required<UploadLimits> = {
  files: 10,
  fileSize: 10 * MIB,
  fields: 100,
  fieldSize: 100 * KIB,
  fieldNameSize: 100,
  parts: NaN,
  total: NaN,
  memory: 256 * MIB,
};

/**
 * Adds the defaults to limits.
 *
 * @param given The program's limits
 * @throws {TypeError} If a limit is unknown or not a number
 * @throws {RangeError} If a limit is neither a whole number from 0 nor `Infinity`
 */
export function checkLimits(given: UploadLimits): CheckedLimits {
  checkNames("upload: limits", given, DEFAULTS as unknown as OptionNames<UploadLimits>);
  const limits = { ...DEFAULTS };
  for (const [name, limit] of Object.entries(given)) {
    if (limit === undefined) continue;
    if (limit !== Infinity) checkInteger("upload", `limits.${name}`, limit, 0, Number.MAX_SAFE_INTEGER);
    limits[name as keyof UploadLimits] = limit;
  }
  const { files, fileSize, fields, fieldSize } = limits;
  limits.parts = given.parts ?? files + fields;
  // one more head than the maximum number of parts, for the preamble and the epilogue
  limits.total = given.total ??
    times(files, fileSize) + times(fields, fieldSize) + (limits.parts + 1) * 2 * MOST_HEAD_BYTES;
  return limits;
}

// 0 times `Infinity` is NaN
function times(count: number, size: number): number {
  return count * size || 0;
}

/** A limit for one form. */
export type FormLimit = Exclude<keyof UploadLimits, "memory">;

/** The error for exceeding each limit: its code, the part with too many, and the unit. */
const EXCESS: Readonly<Record<FormLimit, readonly [UploadErrorCode, string, string]>> = {
  files: ["LIMIT_FILE_COUNT", "the form", "files"],
  fileSize: ["LIMIT_FILE_SIZE", "the file", "bytes"],
  fields: ["LIMIT_FIELD_COUNT", "the form", "fields"],
  fieldSize: ["LIMIT_FIELD_VALUE", "the value", "bytes"],
  fieldNameSize: ["LIMIT_FIELD_KEY", "the name", "bytes"],
  parts: ["LIMIT_PART_COUNT", "the form", "parts"],
  total: ["LIMIT_TOTAL_SIZE", "the form", "bytes"],
};

/** Seconds until clients should retry when memory is short. */
const RETRY_AFTER_S = 1;

/**
 * Checks a limit.
 *
 * @param limits All limits
 * @param name The limit's name
 * @param value The value; `NaN` passes
 * @param field Name of the current field
 * @throws {HttpError} 413 if it exceeds the limit
 */
export function assertWithin(limits: CheckedLimits, name: FormLimit, value: number, field?: string): void {
  if (!(value > limits[name])) return;
  const [code, what, units] = EXCESS[name];
  throw refusal(413, code, `${what} has more than ${limits[name]} ${units}`, field);
}

/**
 * Creates the error for a form that memory has no room for.
 *
 * @param most Maximum bytes in memory for all forms together
 * @param why Whether no other form can be ended instead, or this form is the slowest
 * @param field Name of the current field
 */
export function memoryIsShort(most: number, why: "full" | "slowest", field?: string): HttpError {
  const message = `all forms together use more than ${most} bytes of memory`;
  if (why === "full") {
    return refusal(503, "LIMIT_MEMORY", message, field, { headers: { "retry-after": String(RETRY_AFTER_S) } });
  }
  return refusal(408, "LIMIT_MEMORY", `${message}, and this one is the slowest`, field, {
    headers: { connection: "close" },
  });
}

import { HttpError } from "@sluice/shared";

/** Kinds of rejections, with multer's codes where they exist. */
export type UploadErrorCode =
  | "LIMIT_PART_COUNT"
  | "LIMIT_FILE_COUNT"
  | "LIMIT_FILE_SIZE"
  | "LIMIT_FIELD_COUNT"
  | "LIMIT_FIELD_KEY"
  | "LIMIT_FIELD_VALUE"
  | "LIMIT_UNEXPECTED_FILE"
  | "LIMIT_HEADER_SIZE"
  | "LIMIT_TOTAL_SIZE"
  | "LIMIT_MEMORY"
  | "MISSING_FIELD_NAME"
  | "MISSING_FILE"
  | "MALFORMED_FORM"
  | "NOT_MULTIPART"
  | "UNSUPPORTED_TYPE"
  | "ECONNRESET";

/**
 * Creates the error for a rejected form.
 *
 * @param status The response status
 * @param code Its kind
 * @param message The reason
 * @param field Name of the field, if one field is at fault
 * @param extra Further properties
 */
export function refusal(
  status: number,
  code: UploadErrorCode,
  message: string,
  field?: string,
  extra: Record<string, unknown> = {},
): HttpError {
  const at = field === undefined ? "" : ` (in the field ${JSON.stringify(field)})`;
  return new HttpError(status, message + at, { code, ...(field === undefined ? {} : { field }), ...extra });
}

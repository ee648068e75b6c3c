import { checkInteger, checkNames, type OptionNames } from "@sluice/limiting/core";
import { MOST_HEAD_BYTES } from "./multipart_reader.ts";

/** Limits of a form, each of which may be `Infinity`; multer's names where it has one. */
export interface UploadLimits {
  /** Most files, 10 by default. */
  files?: number;
  /** Most bytes of a file, 10 MiB by default. */
  fileSize?: number;
  /** Most fields that are no files, 100 by default. */
  fields?: number;
  /** Most bytes of the value of such a field, 100 KiB by default. */
  fieldSize?: number;
  /** Most bytes of a field's name, 100 by default. */
  fieldNameSize?: number;
  /** Most parts, files and fields; by default as many as `files` and `fields` together. */
  parts?: number;
  /** Most bytes of the whole body; by default what the other limits add up to. */
  total?: number;
  /** Most bytes in memory of all requests together, until their responses are over: 256 MiB by default. */
  memory?: number;
}

/** Limits that are complete. */
export type CheckedLimits = Readonly<Required<UploadLimits>>;

const NAMES: OptionNames<UploadLimits> = {
  files: true,
  fileSize: true,
  fields: true,
  fieldSize: true,
  fieldNameSize: true,
  parts: true,
  total: true,
  memory: true,
};

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Completes limits.
 *
 * @param limits The program's
 * @throws {TypeError} If one is unknown or no number
 * @throws {RangeError} If one is neither a whole number from 0 nor `Infinity`
 */
export function checkLimits(limits: UploadLimits): CheckedLimits {
  checkNames("upload", limits, NAMES, (name) => `limits are ${Object.keys(NAMES).join(", ")}; this one was ${name}`);
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || limit === Infinity) continue;
    checkInteger("upload", `limits.${name}`, limit, 0, Number.MAX_SAFE_INTEGER);
  }
  const { files = 10, fileSize = 10 * MIB, fields = 100, fieldSize = 100 * KIB, fieldNameSize = 100 } = limits;
  const { parts = files + fields, memory = 256 * MIB } = limits;
  // `0 * Infinity` is no number
  const times = (count: number, size: number): number => count === 0 || size === 0 ? 0 : count * size;
  // one head more than there may be parts, for what stands in front of the first and behind the last
  const { total = times(files, fileSize) + times(fields, fieldSize) + (parts + 1) * 2 * MOST_HEAD_BYTES } = limits;
  return { files, fileSize, fields, fieldSize, fieldNameSize, parts, total, memory };
}

import {
  asciiLowerCase,
  checkInteger,
  checkNames,
  checkType,
  type OptionNames,
  refuseOption,
  RequestsInProgress,
  withDetails,
} from "@sluice/limiting/core";
import type { Request, Response } from "@sluice/sluice";
import { type FormPlan, Reception } from "./reception.ts";
import { folderStore } from "./folder_store.ts";
import { functionStore } from "./function_store.ts";
import { MEDIA_TYPE } from "./part_head.ts";
import { memoryStore } from "./memory_store.ts";
import type { FileStore, TakeFile, UploadedFile } from "./uploaded_file.ts";
import { checkLimits, type UploadLimits } from "./upload_limits.ts";

/** A field that may have files. */
export interface FileField {
  /** Most files in it; by default `limits.files`. */
  max?: number;
  /** Media types of its files, instead of the option `types`. */
  types?: readonly string[];
}

/** A folder that files go to. */
export interface ToFolder {
  /** Its path; it is made unless it exists. */
  readonly folder: string;
  /** Whether files stay there when the response is over, as multer's do; on by default. */
  readonly keep?: boolean;
}

/** A function that files go to. */
export interface ToFunction<Value = unknown> {
  /** Takes a file. */
  readonly take: TakeFile<Value>;
  /** Removes what it has kept of a file, if the request is refused because of a later part. */
  readonly discard?: (file: UploadedFile<Value>, req: Request) => unknown;
}

/**
 * How forms are received.
 *
 * @example Two pictures at most, of 1 MiB each
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 * const pictures = upload({
 *   types: ["image/png", "image/jpeg"],
 *   fields: { picture: { max: 2 } },
 *   limits: { fileSize: 1024 * 1024 },
 * });
 * app.post("/pictures", pictures, (req, res) => res.json(req.files));
 * ```
 */
export interface UploadOptions<Value = unknown> {
  /**
   * Where files go: to `"memory"`, the default; to a folder, where their names are random; or to a function, which gets
   * each as a stream.
   */
  to?: "memory" | ToFolder | TakeFile<Value> | ToFunction<Value>;
  /** What a form may have; the defaults suit some pictures or documents. */
  limits?: UploadLimits;
  /**
   * Media types of files, such as `"image/*"`; by default any. It is what the client says of them: whoever must know
   * looks into the file.
   */
  types?: readonly string[];
  /**
   * The fields that may have files, by name; a file in another one is refused. `req.files` has a list for each name then,
   * as with multer's `fields`.
   */
  fields?: Readonly<Record<string, FileField>>;
  /** Whether a request that is no form is refused with 415; off by default. */
  required?: boolean;
}

/** Receives forms; sets `req.body`, `req.file` and `req.files`. */
export type Upload = (req: Request, res: Response, next: (error?: unknown) => void) => void;

const NAMES: OptionNames<UploadOptions> = {
  to: true,
  limits: true,
  types: true,
  fields: true,
  required: true,
};

const FOLDER_NAMES: OptionNames<ToFolder> = { folder: true, keep: true };
const FUNCTION_NAMES: OptionNames<ToFunction> = { take: true, discard: true };
const FIELD_NAMES: OptionNames<FileField> = { max: true, types: true };

const TYPES = 'a list of media types such as ["image/*", "application/pdf"]';

/**
 * Makes a middleware that receives forms of type `multipart/form-data` (RFC 7578) as they come; other requests pass. It
 * sets, with multer's names:
 *
 * - `req.body`: the fields that are no files, by name; a list where a name is repeated.
 * - `req.files`: the files in their order, or by field with the option `fields`; `req.file` is the first of all.
 *
 * A form that is refused goes to the error handlers as an `HttpError` with `code` and, for a field's fault, `field`: 413
 * for what is too large or too much, 415 for a type, 400 for what is malformed, not expected, or was cut off, 408 for a
 * client that stops sending, 503 if memory is short. All of its files are removed then.
 *
 * @typeParam Value What a function in `to` returns
 * @param options How forms are received
 * @returns The middleware
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If a limit is out of bounds
 * @throws {Error} If files go to a folder, and the runtime has none, or it cannot be made
 *
 * @example A picture in memory
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 * const avatar = upload({ types: ["image/*"], fields: { avatar: { max: 1 } }, limits: { fileSize: 2 * 1024 * 1024 } });
 *
 * app.post("/avatar", avatar, (req, res) => res.json({ name: req.body.name, bytes: req.file?.size }));
 * ```
 *
 * @example Files of any size, as they come
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 * const toArchive = upload({
 *   limits: { fileSize: Infinity },
 *   to: async ({ mimetype, stream }) => {
 *     const key = crypto.randomUUID();
 *     const init = { method: "PUT", headers: { "content-type": mimetype }, body: stream, duplex: "half" };
 *     const { ok, status } = await fetch(`https://archive.example/${key}`, init);
 *     if (!ok) throw new Error(`the archive says ${status}`);
 *     return key;
 *   },
 * });
 *
 * app.post("/archive", toArchive, (req, res) => res.json(req.files.map((file: { value: string }) => file.value)));
 * ```
 */
export function upload<Value = unknown>(options: UploadOptions<Value> = {}): Upload {
  const plan = planOf(options as UploadOptions);
  // its name and its limits are shown in lists of routes
  const handler: Upload = function upload(req, res, next) {
    if (!req.is("multipart/form-data")) return next(plan.isRequired ? Reception.notAForm() : undefined);
    // somebody else may have responded meanwhile: the error is nobody's then
    new Reception(plan, req, res).run().then(() => next(), (error) => res.writableEnded || next(error));
  };
  // fields with files, for whoever documents the route
  return withDetails(handler, { limits: plan.limits, operation: { files: options.fields } });
}

function planOf(options: UploadOptions): FormPlan {
  checkNames("upload", options, NAMES);
  const { to = "memory", limits = {}, fields, types, required = false } = options;
  checkType("upload", "required", required, "boolean");
  return {
    limits: checkLimits(limits),
    types: checkTypes("types", types),
    fields: fields === undefined ? undefined : checkFields(fields),
    store: storeOf(to),
    isRequired: required,
    requests: new RequestsInProgress(() => performance.now()),
  };
}

function storeOf(to: unknown): FileStore {
  if (to === "memory") return memoryStore();
  if (typeof to === "function") return functionStore(to as TakeFile);
  const { folder, keep, take, discard } = Object(to) as Partial<ToFolder & ToFunction>;
  if (typeof folder === "string") {
    checkNames("upload: to", to, FOLDER_NAMES);
    checkType("upload", "to.keep", keep, "boolean");
    return folderStore(folder, keep !== false);
  }
  if (typeof take === "function") {
    checkNames("upload: to", to, FUNCTION_NAMES);
    checkType("upload", "to.discard", discard, "function");
    return functionStore(take, discard);
  }
  refuseOption("upload", "to", '"memory", { folder }, a function, or { take: a function }', to);
}

function checkFields(fields: unknown): FormPlan["fields"] {
  if (typeof fields !== "object" || fields === null) {
    refuseOption("upload", "fields", "an object such as { avatar: {} }", fields);
  }
  return new Map(
    Object.entries(fields).map(([name, field]) => {
      checkNames(`upload: field ${JSON.stringify(name)}`, field, FIELD_NAMES);
      const { max = Infinity, types } = field as FileField;
      if (max !== Infinity) checkInteger("upload", `fields.${name}.max`, max, 1, Number.MAX_SAFE_INTEGER);
      return [name, { max, types: checkTypes(`fields.${name}.types`, types) }];
    }),
  );
}

function checkTypes(option: string, types: unknown): readonly string[] | undefined {
  if (types === undefined) return undefined;
  if (!Array.isArray(types) || types.length === 0) {
    refuseOption("upload", option, TYPES, types);
  }
  return types.map((type) => {
    if (typeof type === "string" && MEDIA_TYPE.test(type)) return asciiLowerCase(type);
    refuseOption("upload", option, TYPES, type);
  });
}

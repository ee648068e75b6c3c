import {
  asciiLowerCase,
  checkInteger,
  checkNames,
  checkObject,
  checkType,
  type OptionNames,
  refuseMembers,
  refuseOption,
  RequestsInProgress,
  takeFormer,
  withDetails,
} from "@sluice/shared";
import type { Middleware, Request, Response } from "@sluice/sluice";
import { type FormPlan, Reception } from "./reception.ts";
import { folderStore } from "./folder_store.ts";
import { functionStore } from "./function_store.ts";
import { MEDIA_TYPE } from "./part_head.ts";
import { memoryStore } from "./memory_upload.ts";
import type { FileStore, TakeFile, UploadedFile } from "./uploaded_file.ts";
import { checkLimits, type UploadLimits } from "./upload_limits.ts";

/** A field that may have files. */
export interface FileField {
  /** Maximum number of files in it; by default `limits.files`. */
  maxCount?: number;
  /** Media types of its files, instead of the option `types`. */
  types?: readonly string[];
  /** Whether a form without a file in this field is rejected with 400; off by default. */
  required?: boolean;
}

/** Custom storage for files. */
export interface UploadStorage<Value = unknown> {
  /** Stores a file. */
  readonly take: TakeFile<Value>;
  /** Removes a stored file if the request is rejected because of a later part. */
  readonly discard?: (file: UploadedFile<Value>, req: Request) => unknown;
}

/**
 * How forms are received.
 *
 * @example At most two pictures, each up to 1 MiB
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 * const pictures = upload({
 *   types: ["image/png", "image/jpeg"],
 *   fields: { picture: { maxCount: 2 } },
 *   limits: { fileSize: 1024 * 1024 },
 * });
 * app.post("/pictures", pictures, (req, res) => res.json(req.files));
 * ```
 */
export interface UploadOptions<Value = unknown, Fields = Readonly<Record<string, FileField>>> {
  /** The folder for files, under random names; created if it does not exist. Without it, files are kept in memory. */
  dest?: string;
  /** Whether files remain in `dest` after the response, as in multer; on by default. */
  keep?: boolean;
  /** Receives each file as a stream, instead of a folder or memory. */
  storage?: TakeFile<Value> | UploadStorage<Value>;
  /** Limits for a form; the defaults suit a few pictures or documents. */
  limits?: UploadLimits;
  /**
   * Media types of files, such as `"image/*"`; any type by default. The client declares the type: to be certain,
   * inspect the file.
   */
  types?: readonly string[];
  /**
   * The fields that may have files, by name; a file in any other field is rejected. `req.files` then has a list for
   * each name, as with multer's `fields`.
   */
  fields?: Fields;
  /** Whether a request that is not a form is rejected with 415; off by default. */
  required?: boolean;
}

/** A form's files: by field if fields are named, otherwise in order. */
export interface FormFiles<Value = unknown, Fields = undefined> {
  /** The first file. */
  file: true extends IsRequired<Fields, keyof Fields> ? UploadedFile<Value> : UploadedFile<Value> | undefined;
  /** All files. */
  files: [Fields] extends [undefined] ? UploadedFile<Value>[]
    : string extends keyof Fields ? UploadedFile<Value>[] | FilesByField<Value, Fields>
    : FilesByField<Value, Fields>;
}

/** Each field's files; a required field has at least one. */
export type FilesByField<Value, Fields> =
  & { [Name in keyof Fields as true extends IsRequired<Fields, Name> ? Name : never]: UploadedFile<Value>[] }
  & { [Name in keyof Fields as true extends IsRequired<Fields, Name> ? never : Name]?: UploadedFile<Value>[] };

/** Includes `true` if one of the fields is required. */
export type IsRequired<Fields, Name extends keyof Fields> = Name extends unknown
  ? Fields[Name] extends { readonly required: true } ? true : false
  : never;

/** Receives forms; sets `req.body`, `req.file` and `req.files`. */
export type ReceiveForm<Files = FormFiles> = Middleware<Files>;

/**
 * Receives forms with files in the fields that the options name, and creates middleware for other fields, as multer does.
 */
export type Upload<Value = unknown, Fields = undefined> = ReceiveForm<FormFiles<Value, Fields>> & UploadOf<Value>;

/**
 * Creates middleware for a route's fields; routes share the other options.
 *
 * @example Two forms, one folder
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 * const files = upload({ dest: "uploads" });
 * app.post("/avatar", files.single("avatar"), (req, res) => res.json(req.file?.size));
 * app.post("/offer", files.fields([{ name: "photo", maxCount: 3 }, { name: "terms" }]), (req, res) => {
 *   res.json(req.files.photo?.length);
 * });
 * ```
 */
export interface UploadOf<Value = unknown> {
  /**
   * Receives forms with one file, `req.file`; a file in any other field is rejected.
   *
   * @param name The field's name
   */
  single(name: string): ReceiveForm<FormFiles<Value>>;
  /**
   * Receives forms with files in one field, `req.files`; a file in any other field is rejected.
   *
   * @param name The field's name
   * @param maxCount Maximum number of files, `limits.files` by default
   */
  array(name: string, maxCount?: number): ReceiveForm<FormFiles<Value>>;
  /**
   * Receives forms with files in several fields, `req.files` by name, as with the option `fields`.
   *
   * @param list The fields
   */
  fields<Name extends string>(
    list: readonly ({ readonly name: Name } & Readonly<FileField>)[],
  ): ReceiveForm<FormFiles<Value, { readonly [_ in Name]: FileField }>>;
  /** Receives forms with files in any field, `req.files`. */
  any(): ReceiveForm<FormFiles<Value>>;
  /** Receives forms without files; a file is rejected. */
  none(): ReceiveForm<FormFiles<Value>>;
}

const NAMES: OptionNames<UploadOptions> = {
  dest: true,
  keep: true,
  storage: true,
  limits: true,
  types: true,
  fields: true,
  required: true,
};

/** Options from multer, busboy, formidable and express-fileupload. */
const INSTEAD = {
  fileFilter: 'use types: ["image/*"]; to inspect the file, read it in storage',
  tempFileDir: "use dest, and keep: false",
  useTempFiles: "use dest, and keep: false",
  maxFileSize: "use limits: { fileSize }",
  maxFiles: "use limits: { files }",
  multiples: "a field may have several files: use fields: { avatar: { maxCount: 1 } } for one",
};

const STORAGE_NAMES: OptionNames<UploadStorage> = { take: true, discard: true };
const FIELD_NAMES: OptionNames<FileField> = { maxCount: true, types: true, required: true };

const TYPES = 'a list of media types such as ["image/*", "application/pdf"]';

/**
 * Creates middleware that streams forms of type `multipart/form-data` (RFC 7578); other requests pass. It sets, with
 * multer's names:
 *
 * - `req.body`: the fields that are not files, by name; an array where a name is repeated. With the option `fields`,
 *   these include JSON in other fields, with or without a file name.
 * - `req.files`: the files in order, or by field with the option `fields`; `req.file` is the first file. Later handlers
 *   in the same call have them in their types.
 *
 * A rejected form goes to the error handlers as an `HttpError` with `code` and, if one field is at fault, `field`. The
 * status is 413 for too much or too many, 415 for a wrong type, 400 for a malformed, unexpected or truncated form, 408
 * for a client that stops sending, and 503 if memory is short. All files from the form are then removed.
 *
 * @typeParam Value The type that `storage` returns
 * @typeParam Fields The fields that may have files; inferred
 * @param options How forms are received
 * @returns The middleware
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If a limit is out of bounds
 * @throws {Error} If files go to a folder, and the runtime has no file system or the folder cannot be created
 *
 * @example A picture in memory
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 * const avatar = upload({ types: ["image/*"], fields: { avatar: { maxCount: 1 } }, limits: { fileSize: 2 * 1024 * 1024 } });
 *
 * app.post("/avatar", avatar, (req, res) => res.json({ name: req.body.name, bytes: req.file?.size }));
 * ```
 *
 * @example Files of any size, streamed
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 * const toArchive = upload({
 *   limits: { fileSize: Infinity },
 *   storage: async ({ mimetype, stream }) => {
 *     const key = crypto.randomUUID();
 *     const init = { method: "PUT", headers: { "content-type": mimetype }, body: stream, duplex: "half" };
 *     const { ok, status } = await fetch(`https://archive.example/${key}`, init);
 *     if (!ok) throw new Error(`the archive says ${status}`);
 *     return key;
 *   },
 * });
 *
 * app.post("/archive", toArchive, (req, res) => res.json(req.files.map((file) => file.value)));
 * ```
 */
export function upload<
  Value = unknown,
  const Fields extends Readonly<Record<string, FileField>> | undefined = undefined,
>(
  options: UploadOptions<Value, Fields> = {},
): Upload<Value, Fields> {
  const plan = planOf(options as UploadOptions);
  const ofFields = <Files>(fields: Record<string, FileField> | undefined, isByField: boolean): ReceiveForm<Files> =>
    receiving({ ...plan, fields: fields && checkFields(fields), isByField }, fields);
  const ofField = (caller: string, name: string, maxCount?: number): ReceiveForm<FormFiles<Value>> => {
    if (typeof name !== "string" || name === "") refuseOption(caller, "name", "the name of a field", name);
    if (maxCount !== undefined) checkInteger(caller, "maxCount", maxCount, 1, Number.MAX_SAFE_INTEGER);
    const field = maxCount === undefined ? {} : { maxCount };
    return ofFields({ [name]: field }, false);
  };
  return Object.assign(receiving<FormFiles<Value, Fields>>(plan, options.fields), {
    single: (name: string) => ofField("upload.single", name, 1),
    array: (name: string, maxCount?: number) => ofField("upload.array", name, maxCount),
    fields(list: readonly ({ readonly name: string } & FileField)[]): ReceiveForm<never> {
      if (!Array.isArray(list) || list.some((field) => typeof field?.name !== "string")) {
        refuseOption("upload.fields", "list", 'such as [{ name: "avatar" }]', list);
      }
      return ofFields(Object.fromEntries(list.map(({ name, ...field }) => [name, field])), true);
    },
    any: () => ofFields<FormFiles<Value>>(undefined, false),
    none: () => ofFields<FormFiles<Value>>({}, false),
  });
}

const METHOD = 'write upload().single("avatar")';

// multer's, on the function itself
refuseMembers(upload, "upload", {
  memoryStorage: "write upload(), without storage",
  diskStorage: 'write upload({ dest: "uploads" }); for other names, storage: ({ stream }) => …',
  MulterError: "write error.code",
  single: METHOD,
  array: METHOD,
  fields: METHOD,
  any: METHOD,
  none: METHOD,
});

function receiving<Files>(plan: FormPlan, fields: Record<string, FileField> | undefined): ReceiveForm<Files> {
  // route listings show its name and its limits
  function upload(req: Request, res: Response, next: (error?: unknown) => void): void {
    if (!req.is("multipart/form-data")) {
      req.files ??= plan.isByField ? {} : [];
      return next(plan.isRequired ? Reception.notAForm() : undefined);
    }
    // by then, an error handler may have responded, or be about to respond to the end of a time limit
    new Reception(plan, req, res).receive().then(
      () => req.timedout || next(),
      (error) => req.timedout || res.writableEnded || next(error),
    );
  }
  // fields with files, for generated documentation
  const { types } = plan;
  const files = types === undefined || fields === undefined
    ? fields
    : Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { types, ...field }]));
  return withDetails(upload as ReceiveForm<Files>, { limits: plan.limits, operation: { files } });
}

// what `to` meant: "memory", { folder, keep }, a function, or { take, discard }
function formerly(to: unknown): Partial<UploadOptions> {
  if (to === "memory") return {};
  const { folder, ...rest } = Object(to) as { folder?: string; keep?: boolean };
  return folder === undefined ? { storage: to as TakeFile } : { dest: folder, ...rest };
}

function planOf(given: UploadOptions): FormPlan {
  const options = takeFormer(given, "to", formerly);
  checkNames("upload", options, NAMES, INSTEAD);
  const { limits = {}, types, required = false } = options;
  checkType("upload", "required", required, "boolean");
  const fields = options.fields === undefined ? undefined : checkFields(options.fields);
  return {
    limits: checkLimits(limits),
    types: checkTypes("types", types),
    fields,
    isByField: fields !== undefined,
    store: storeOf(options),
    // a request that is not a form has no file
    isRequired: required || [...fields?.values() ?? []].some(({ isRequired }) => isRequired),
    requests: new RequestsInProgress(() => performance.now()),
  };
}

function storeOf({ dest, keep, storage }: UploadOptions): FileStore {
  // the empty path would be the current folder
  if (dest === "") refuseOption("upload", "dest", "a folder's path", dest);
  checkType("upload", "dest", dest, "string");
  checkType("upload", "keep", keep, "boolean");
  if (keep !== undefined && dest === undefined) throw new TypeError("upload: option keep is for files in dest");
  if (dest !== undefined) {
    if (storage !== undefined) throw new TypeError("upload: options dest and storage cannot be combined");
    return folderStore(dest, keep !== false);
  }
  if (storage === undefined) return memoryStore();
  if (typeof storage === "function") return functionStore(storage);
  const { take, discard } = Object(storage) as Partial<UploadStorage>;
  if (typeof take !== "function") refuseOption("upload", "storage", "a function, or { take: a function }", storage);
  checkNames("upload: storage", storage, STORAGE_NAMES);
  checkType("upload", "storage.discard", discard, "function");
  return functionStore(take, discard);
}

function checkFields(fields: object): FormPlan["fields"] {
  checkObject("upload", "fields", fields, "an object by the names of fields, such as { avatar: { maxCount: 1 } }");
  return new Map(
    Object.entries(fields).map(([name, field]) => {
      checkNames(`upload: field ${JSON.stringify(name)}`, field, FIELD_NAMES);
      const { maxCount = Infinity, types, required: isRequired = false } = field as FileField;
      checkType("upload", `fields.${name}.required`, isRequired, "boolean");
      if (maxCount !== Infinity) {
        checkInteger("upload", `fields.${name}.maxCount`, maxCount, 1, Number.MAX_SAFE_INTEGER);
      }
      return [name, { maxCount, types: checkTypes(`fields.${name}.types`, types), isRequired }];
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

/**
 * File uploads: streamed forms with files, stored in memory, in a folder, or by a function that gets each file as a
 * stream.
 *
 * @example Files in a folder
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { upload } from "@sluice/middleware/upload";
 *
 * const app = sluice();
 *
 * app.post("/documents", upload({ dest: ".cache/documents", types: ["application/pdf"] }), (req, res) => {
 *   res.json(req.files.map(({ originalname, path }) => ({ originalname, path })));
 * });
 * ```
 *
 * @module
 */
export {
  type FileField,
  type FilesByField,
  type FormFiles,
  type IsRequired,
  type ReceiveForm,
  type Upload,
  upload,
  type UploadOf,
  type UploadOptions,
  type UploadStorage,
} from "./src/upload/upload.ts";
export type { FileClaims, IncomingFile, TakeFile, UploadedFile } from "./src/upload/uploaded_file.ts";
export type { UploadErrorCode } from "./src/upload/upload_error.ts";
export type { UploadLimits } from "./src/upload/upload_limits.ts";

/**
 * Response compression with gzip, deflate, brotli or Zstandard: whichever the client accepts and the runtime supports.
 *
 * @example Compress every response that is worth it
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { compress } from "@sluice/middleware/compress";
 *
 * const app = sluice();
 * app.use(compress());
 *
 * app.get("/numbers", (_req, res) => res.json(Array.from({ length: 1000 }, (_, i) => i)));
 * ```
 *
 * @module
 */
export { type Compress, compress, type CompressOptions } from "./src/compress/compress.ts";
export type { CodingLevels, CodingName } from "./src/compress/coding.ts";
export { isCompressible } from "./src/compress/compressible_type.ts";

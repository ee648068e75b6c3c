/**
 * Types that are text in disguise, or repetitive bytes. Types that are already compressed are not listed: images,
 * sound, video, archives, WOFF fonts. Neither is `application/octet-stream`, which may be anything.
 */
const APPLICATIONS = [
  "dart",
  "ecmascript",
  "graphql",
  "(?:x-)?javascript",
  "json",
  "jsonl",
  "(?:x-)?ndjson",
  "postscript",
  "rtf",
  "sql",
  "tar",
  "toml",
  "vnd\\.apple\\.mpegurl",
  "vnd\\.dart",
  "vnd\\.ms-fontobject",
  "vnd\\.ms-opentype",
  "wasm",
  "x-httpd-php",
  "x-ns-proxy-autoconfig",
  "x-sh",
  "x-tar",
  "x-www-form-urlencoded",
  "xml(?:-dtd)?",
  "(?:x-)?yaml",
].join("|");

const COMPRESSIBLE = new RegExp(
  `^[ \t]*(?:text/[^; \t]+|[^; \t]+\\+(?:json|text|xml|yaml)|application/(?:${APPLICATIONS})|` +
    "font/(?:collection|otf|ttf)|image/(?:(?:x-ms-)?bmp|vnd\\.adobe\\.photoshop|vnd\\.microsoft\\.icon|vnd\\.ms-dds|" +
    "x-icon)|message/rfc822|model/gltf-binary|x-shader/[^; \t]+)[ \t]*(?:;|$)",
  "i",
);

/**
 * Whether bodies with a content type shrink when compressed.
 *
 * @param type A response's `Content-Type`
 * @returns `false` without a type
 *
 * @example A different filter for some paths
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { compress, isCompressible } from "@sluice/middleware/compress";
 *
 * const app = sluice();
 * app.use(compress({
 *   filter: (req, res) => !req.path.startsWith("/raw/") && isCompressible(res.get("Content-Type")),
 * }));
 * ```
 */
export function isCompressible(type: string | undefined): boolean {
  return type !== undefined && COMPRESSIBLE.test(type);
}

import { asciiLowerCase, trimBlanks } from "../util/ascii.ts";
import { lookup } from "mrmime";

// common types that mrmime lacks, or that IANA names differently today
const EXTRA: Readonly<Record<string, string>> = {
  bin: "application/octet-stream",
  bz2: "application/x-bzip2",
  crx: "application/x-chrome-extension",
  deb: "application/octet-stream",
  dmg: "application/octet-stream",
  exe: "application/octet-stream",
  htc: "text/x-component",
  ico: "image/vnd.microsoft.icon",
  hbs: "text/x-handlebars-template",
  img: "application/octet-stream",
  iso: "application/octet-stream",
  markdown: "text/markdown",
  md: "text/markdown",
  mp4: "video/mp4",
  m4a: "audio/mp4",
  rar: "application/vnd.rar",
  sh: "application/x-sh",
  tar: "application/x-tar",
  ts: "video/mp2t",
  xml: "application/xml",
  yaml: "text/yaml",
  yml: "text/yaml",
  // office
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rtf: "application/rtf",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  // sound and video
  aif: "audio/x-aiff",
  aiff: "audio/x-aiff",
  flac: "audio/x-flac",
  m3u: "audio/x-mpegurl",
  m3u8: "application/vnd.apple.mpegurl",
  m4b: "audio/mp4",
  mka: "audio/x-matroska",
  wma: "audio/x-ms-wma",
  avi: "video/x-msvideo",
  flv: "video/x-flv",
  m4v: "video/x-m4v",
  mkv: "video/x-matroska",
  wmv: "video/x-ms-wmv",
  srt: "application/x-subrip",
  // archives
  "7z": "application/x-7z-compressed",
  apk: "application/vnd.android.package-archive",
  rpm: "application/x-redhat-package-manager",
  torrent: "application/x-bittorrent",
  xz: "application/x-xz",
  // others
  eot: "application/vnd.ms-fontobject",
  kml: "application/vnd.google-earth.kml+xml",
  kmz: "application/vnd.google-earth.kmz",
  mobi: "application/x-mobipocket-ebook",
  p12: "application/x-pkcs12",
  pem: "application/x-x509-ca-cert",
  psd: "image/vnd.adobe.photoshop",
  vcf: "text/x-vcard",
};

const EXTENSION = /^[a-z0-9+-]+$/;

/**
 * Media type for an extension or a file name.
 *
 * @param extensionOrPath `json`, `.json` or `data/x.json`
 * @returns The type, `undefined` if it is not known
 */
export function mediaTypeOf(extensionOrPath: string): string | undefined {
  const extension = asciiLowerCase(extensionOrPath.slice(extensionOrPath.lastIndexOf(".") + 1));
  if (extension === "" || extension.includes("/")) return undefined;
  return Object.hasOwn(EXTRA, extension) ? EXTRA[extension] : typeOf(extension);
}

// mrmime reads from a plain object, which also has "constructor". And it trims: a file that a user has called
// "page.html\u00a0" would be a page, and its script could do what the user's may who opens it.
function typeOf(extension: string): string | undefined {
  if (!EXTENSION.test(extension)) return undefined;
  const type: unknown = lookup(extension);
  return typeof type === "string" ? type : undefined;
}

/**
 * Content type for an extension, a file name or a media type, with the customary charset.
 *
 * @param extensionOrType `json`, `.json`, `x.json` or `application/json`
 * @returns The header value, `undefined` if the extension is not known
 */
export function contentTypeOf(extensionOrType: string): string | undefined {
  const type = extensionOrType.includes("/") ? extensionOrType : mediaTypeOf(extensionOrType);
  if (type === undefined || /;[ \t]*charset[ \t]*=/i.test(type)) return type;
  return hasTextCharset(type) ? `${type}; charset=utf-8` : type;
}

function hasTextCharset(type: string): boolean {
  const bare = asciiLowerCase(trimBlanks(type.split(";", 1)[0]!));
  return bare.startsWith("text/") || bare === "application/json" || bare === "application/javascript" ||
    bare === "application/manifest+json";
}

/** Media type of an offer to a client: an extension, or a type whose parameters do not count. */
export function offeredMediaType(offer: string): string {
  if (!offer.includes("/")) return mediaTypeOf(offer) ?? "application/octet-stream";
  const parameters = offer.indexOf(";");
  return trimBlanks(parameters === -1 ? offer : offer.slice(0, parameters));
}

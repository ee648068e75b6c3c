import { asciiLowerCase, trimBlanks } from "../util/ascii.ts";
import { typesByExtension } from "./media_type_table.ts";

// created on first use, because not every program needs it
let types: ReadonlyMap<string, string> | undefined;

/**
 * Returns the media type for an extension or a file name.
 *
 * @param extensionOrPath `json`, `.json` or `data/x.json`
 * @returns The type, `undefined` if it is unknown
 */
export function mediaTypeOf(extensionOrPath: string): string | undefined {
  const extension = asciiLowerCase(extensionOrPath.slice(extensionOrPath.lastIndexOf(".") + 1));
  return (types ??= typesByExtension()).get(extension);
}

/**
 * Returns the content type for an extension, a file name or a media type, with the customary charset.
 *
 * @param extensionOrType `json`, `.json`, `x.json` or `application/json`
 * @returns The header value, `undefined` if the extension is unknown
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

/** Returns the media type for an offer to a client: an extension, or a type, ignoring its parameters. */
export function offeredMediaType(offer: string): string {
  if (!offer.includes("/")) return mediaTypeOf(offer) ?? "application/octet-stream";
  const parameters = offer.indexOf(";");
  return trimBlanks(parameters === -1 ? offer : offer.slice(0, parameters));
}

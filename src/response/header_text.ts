import { mediaTypeOf } from "../http/media_types.ts";
import type { HeaderValue } from "./outgoing_headers.ts";

/** A header as one line of text, `""` when it is not set. */
export function headerText(value: HeaderValue | undefined): string {
  if (value === undefined) return "";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** Media type of what `res.format` was offered: an extension, or a type whose parameters do not count. */
export function mediaTypeFor(offer: string): string {
  if (!offer.includes("/")) return mediaTypeOf(offer) ?? "application/octet-stream";
  const parameters = offer.indexOf(";");
  return (parameters === -1 ? offer : offer.slice(0, parameters)).trim();
}

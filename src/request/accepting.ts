import { mediaTypeOf } from "../http/media_types.ts";
import { negotiateCharsets, negotiateEncodings, negotiateLanguages, negotiateMediaTypes } from "../http/negotiation.ts";

type Negotiate = (header: string | undefined, offered?: readonly string[]) => string[];

/**
 * Picks the best of the offered media types, which may be extensions (`json`) or full types.
 *
 * @param header The `Accept` header
 * @param offered What the server can send, most wanted first; empty asks for the client's whole list
 * @returns The best offer as it was written, the client's list when nothing was offered, or `false`
 */
export function acceptedType(header: string | undefined, offered: readonly string[]): string | string[] | false {
  if (offered.length === 0) return negotiateMediaTypes(header);
  if (header === undefined) return offered[0]!;
  const types = offered.map((offer) => offer.includes("/") ? offer : mediaTypeOf(offer));
  const known = types.filter((type): type is string => type !== undefined);
  const best = negotiateMediaTypes(header, known)[0];
  return best === undefined ? false : offered[types.indexOf(best)]!;
}

/** Picks the best offered charset; same results as {@linkcode acceptedType}. */
export function acceptedCharset(header: string | undefined, offered: readonly string[]): string | string[] | false {
  return pick(negotiateCharsets, header, offered);
}

/** Picks the best offered content coding; same results as {@linkcode acceptedType}. */
export function acceptedEncoding(header: string | undefined, offered: readonly string[]): string | string[] | false {
  return pick(negotiateEncodings, header, offered);
}

/** Picks the best offered language; same results as {@linkcode acceptedType}. */
export function acceptedLanguage(header: string | undefined, offered: readonly string[]): string | string[] | false {
  return pick(negotiateLanguages, header, offered);
}

function pick(
  negotiate: Negotiate,
  header: string | undefined,
  offered: readonly string[],
): string | string[] | false {
  if (offered.length === 0) return negotiate(header);
  return negotiate(header, offered)[0] ?? false;
}

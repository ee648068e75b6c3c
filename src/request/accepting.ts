import { mediaTypeOf } from "../http/media_types.ts";
import { GenerationalCache } from "../util/generational_cache.ts";
import { negotiateCharsets, negotiateEncodings, negotiateLanguages, negotiateMediaTypes } from "../http/negotiation.ts";

/** Picks the best offer, `false` if none is acceptable. */
type Decide = (header: string | undefined, offered: readonly string[]) => string | false;

/** Number of cached decisions per kind. */
const MAX_REMEMBERED = 512;
/** Browsers send about a hundred characters; much longer headers are nonsense and not worth caching. */
const LONGEST_REMEMBERED = 512;

/** Caches decisions: there are few kinds of clients and offers, and deciding takes microseconds. */
function remembering(decide: Decide): Decide {
  const known = new GenerationalCache<string | false>(MAX_REMEMBERED);
  return (header, offered) => {
    if (header === undefined || header.length > LONGEST_REMEMBERED) return decide(header, offered);
    // Headers contain no line feeds, but an offer may, if a program passes on a client's input. The number of offers
    // makes the key unambiguous.
    const question = `${offered.length}\n${header}\n${offered.join("\n")}`;
    let verdict = known.get(question);
    if (verdict === undefined) {
      verdict = decide(header, offered);
      known.set(question, verdict);
    }
    return verdict;
  };
}

const bestType = remembering((header, offered) => {
  // an empty header is equivalent to a missing one
  if (!header) return offered[0]!;
  const types = offered.map((offer) => offer.includes("/") ? offer : mediaTypeOf(offer));
  const best = negotiateMediaTypes(header, types.filter((type): type is string => type !== undefined))[0];
  return best === undefined ? false : offered[types.indexOf(best)]!;
});
const bestCharset = remembering((header, offered) => negotiateCharsets(header, offered)[0] ?? false);
const bestEncoding = remembering((header, offered) => negotiateEncodings(header, offered)[0] ?? false);
const bestLanguage = remembering((header, offered) => negotiateLanguages(header, offered)[0] ?? false);

/**
 * Picks the best of the offered media types, which may be extensions (`json`) or full types.
 *
 * @param header The `Accept` header
 * @param offered The server's offers, preferred first; empty for the client's whole list
 * @returns The best offer, spelled as offered; the client's list if nothing was offered; or `false`
 */
export function acceptedType(header: string | undefined, offered: readonly string[]): string | string[] | false {
  return offered.length === 0 ? negotiateMediaTypes(header) : bestType(header, offered);
}

/** Picks the best offered charset; same results as {@linkcode acceptedType}. */
export function acceptedCharset(header: string | undefined, offered: readonly string[]): string | string[] | false {
  return offered.length === 0 ? negotiateCharsets(header) : bestCharset(header, offered);
}

/** Picks the best offered content coding; same results as {@linkcode acceptedType}. */
export function acceptedEncoding(header: string | undefined, offered: readonly string[]): string | string[] | false {
  return offered.length === 0 ? negotiateEncodings(header) : bestEncoding(header, offered);
}

/** Picks the best offered language; same results as {@linkcode acceptedType}. */
export function acceptedLanguage(header: string | undefined, offered: readonly string[]): string | string[] | false {
  return offered.length === 0 ? negotiateLanguages(header) : bestLanguage(header, offered);
}

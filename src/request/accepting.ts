import { mediaTypeOf } from "../http/media_types.ts";
import { GenerationalCache } from "../util/generational_cache.ts";
import { negotiateCharsets, negotiateEncodings, negotiateLanguages, negotiateMediaTypes } from "../http/negotiation.ts";

/** Picks the best offer, `false` if none is acceptable. */
type Decide = (header: string | undefined, offered: readonly string[]) => string | false;

/** Lists what a header accepts, best first; of the offers, if there are any. */
type Negotiate = (header: string | undefined, offered?: readonly string[]) => string[];

/**
 * Picks the best offer.
 *
 * @param header The request's header
 * @param offered The server's offers, preferred first; empty for the client's whole list
 * @returns The best offer, spelled as offered; the client's list if nothing was offered; or `false`
 */
type Accept = (header: string | undefined, offered: readonly string[]) => string | string[] | false;

/** Number of cached decisions per kind. */
const MAX_REMEMBERED = 512;
/** Browsers send about a hundred characters; much longer headers are nonsense and not worth caching. */
const LONGEST_REMEMBERED = 512;

/** Caches decisions: there are few kinds of clients and offers, and deciding takes microseconds. */
function accepting(
  negotiate: Negotiate,
  decide: Decide = (header, offered) => negotiate(header, offered)[0] ?? false,
): Accept {
  const known = new GenerationalCache<string | false>(MAX_REMEMBERED);
  return (header, offered) => {
    if (offered.length === 0) return negotiate(header);
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

/** Picks the best of the offered media types, which may be extensions (`json`) or full types. */
export const acceptedType: Accept = accepting(negotiateMediaTypes, (header, offered) => {
  // an empty header is equivalent to a missing one
  if (!header) return offered[0]!;
  const types = offered.map((offer) => offer.includes("/") ? offer : mediaTypeOf(offer));
  const best = negotiateMediaTypes(header, types.filter((type): type is string => type !== undefined))[0];
  return best === undefined ? false : offered[types.indexOf(best)]!;
});
/** Picks the best offered charset. */
export const acceptedCharset: Accept = accepting(negotiateCharsets);
/** Picks the best offered content coding. */
export const acceptedEncoding: Accept = accepting(negotiateEncodings);
/** Picks the best offered language. */
export const acceptedLanguage: Accept = accepting(negotiateLanguages);

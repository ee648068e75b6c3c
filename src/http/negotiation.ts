import { asciiLowerCase, trimBlanks } from "../util/ascii.ts";
import { splitList } from "./header_values.ts";

/** One member in an `Accept…` header. */
interface Wish {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
  readonly order: number;
}

/** How well an offer fits: by quality, then by how specific the match is, then by both lists' order. */
interface Fit {
  readonly offer: string;
  readonly quality: number;
  readonly exactness: number;
  readonly order: number;
  readonly index: number;
}

/** How specifically a wish matches an offer, -1 if it does not. */
type Exactness = (offer: string, wish: Wish) => number;

/**
 * Returns media types in the client's order of preference (RFC 9110 section 12.5.1).
 *
 * @param header The `Accept` header; without one everything is acceptable
 * @param offered The types the server can send; without it the client's own list is returned
 * @returns The acceptable types, best first
 */
export function negotiateMediaTypes(header: string | undefined, offered?: readonly string[]): string[] {
  const wishes = parse(header ?? "*/*").filter(({ value }) => value.includes("/"));
  return preferred(wishes, offered, typeExactness);
}

/** Returns charsets in the client's order (RFC 9110 section 12.5.2); see {@linkcode negotiateMediaTypes}. */
export function negotiateCharsets(header: string | undefined, offered?: readonly string[]): string[] {
  return preferred(parse(header ?? "*"), offered, nameExactness);
}

/**
 * Returns content codings in the client's order (RFC 9110 section 12.5.3); `identity` is acceptable unless excluded.
 */
export function negotiateEncodings(header: string | undefined, offered?: readonly string[]): string[] {
  return preferred(codingWishes(header), offered, nameExactness);
}

function codingWishes(header: string | undefined): Wish[] {
  const wishes = parse(header ?? "");
  if (!wishes.some((wish) => nameExactness("identity", wish) >= 0)) {
    const quality = Math.min(1, ...wishes.map((wish) => wish.quality || 1));
    wishes.push({ value: "identity", parameters: new Map(), quality, order: wishes.length });
  }
  return wishes;
}

/**
 * Returns content codings in the server's order of preference: by the client's weights and, where those are equal, by
 * the server's order (RFC 9110 section 12.5.3). `x-gzip` counts as `gzip` (section 8.4.1.3).
 *
 * @param header The `Accept-Encoding` header
 * @param offered The codings the server can send, best first; `identity` is acceptable unless excluded
 * @returns The acceptable codings, best first
 */
export function rankEncodings(header: string | undefined, offered: readonly string[]): string[] {
  const wishes = codingWishes(header?.replace(/x-gzip/gi, "gzip"));
  const fits = offered.map((offer, index) => bestFit(offer, index, wishes, nameExactness));
  return fits.filter((fit) => fit.quality > 0).sort((a, b) => b.quality - a.quality).map((fit) => fit.offer);
}

/** Returns languages in the client's order (RFC 9110 section 12.5.4); `en` and `en-US` match in part. */
export function negotiateLanguages(header: string | undefined, offered?: readonly string[]): string[] {
  return preferred(parse(header ?? "*"), offered, languageExactness);
}

function parse(header: string): Wish[] {
  return splitList(header).map((member, order) => {
    const { value, parameters } = parseMember(member);
    const q = parameters.get("q");
    parameters.delete("q");
    const quality = q === undefined ? 1 : parseFloat(q);
    return { value, parameters, quality: Number.isNaN(quality) ? 0 : quality, order };
  }).filter(({ value }) => value !== "");
}

function parseMember(member: string): { value: string; parameters: Map<string, string> } {
  const [value = "", ...rest] = member.split(";");
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf("=");
    if (equals === -1) continue;
    const text = trimBlanks(parameter.slice(equals + 1));
    const bare = text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
    const name = asciiLowerCase(trimBlanks(parameter.slice(0, equals)));
    // parameters after the weight do not belong to the media type (RFC 9110 section 12.5.1)
    parameters.set(name, bare);
    if (name === "q") break;
  }
  return { value: trimBlanks(value), parameters };
}

function preferred(wishes: readonly Wish[], offered: readonly string[] | undefined, exactness: Exactness): string[] {
  if (offered === undefined) {
    return wishes.filter((wish) => wish.quality > 0).sort((a, b) => b.quality - a.quality || a.order - b.order)
      .map((wish) => wish.value);
  }
  return offered.map((offer, index) => bestFit(offer, index, wishes, exactness)).filter((fit) => fit.quality > 0)
    .sort((a, b) => b.quality - a.quality || b.exactness - a.exactness || a.order - b.order || a.index - b.index)
    .map((fit) => fit.offer);
}

// the most specific matching wish decides, even if it excludes the offer
function bestFit(offer: string, index: number, wishes: readonly Wish[], exactness: Exactness): Fit {
  let best: Fit = { offer, quality: 0, exactness: 0, order: -1, index };
  for (const wish of wishes) {
    const exact = exactness(offer, wish);
    if (exact < 0) continue;
    const better = best.exactness - exact || best.quality - wish.quality || best.order - wish.order;
    if (better < 0) best = { offer, quality: wish.quality, exactness: exact, order: wish.order, index };
  }
  return best;
}

function same(a: string, b: string): boolean {
  return asciiLowerCase(a) === asciiLowerCase(b);
}

function nameExactness(offer: string, wish: Wish): number {
  return same(offer, wish.value) ? 1 : wish.value === "*" ? 0 : -1;
}

function languageExactness(offer: string, wish: Wish): number {
  if (same(offer, wish.value)) return 4;
  if (same(wish.value.split("-", 1)[0]!, offer)) return 2;
  if (same(offer.split("-", 1)[0]!, wish.value)) return 1;
  return wish.value === "*" ? 0 : -1;
}

function typeExactness(offer: string, wish: Wish): number {
  const { value, parameters } = parseMember(offer);
  const [type = "", subtype = ""] = value.split("/");
  const slash = wish.value.indexOf("/");
  const wishType = wish.value.slice(0, slash);
  const wishSubtype = wish.value.slice(slash + 1);
  let exact = 0;
  if (same(wishType, type)) exact |= 4;
  else if (wishType !== "*") return -1;
  if (same(wishSubtype, subtype)) exact |= 2;
  else if (wishSubtype !== "*") return -1;
  for (const [name, wanted] of wish.parameters) {
    if (wanted !== "*" && !same(wanted, parameters.get(name) ?? "")) return -1;
  }
  return wish.parameters.size > 0 ? exact | 1 : exact;
}

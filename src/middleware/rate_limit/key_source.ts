/** Where a client's address comes from: the networks that one attacker is likely to have as a whole. */
export interface KeySource {
  /** Whether it is an IPv6 address. */
  readonly isV6: boolean;
  /** The wide network: a /32 of IPv6, a /16 of IPv4. */
  readonly wide: number;
  /** The narrow one in it, told apart by 16 or 8 more bits: a /48 of IPv6, a /24 of IPv4. */
  readonly narrow: number;
}

const V4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.\d{1,3}(?![\d.])/;
/** What an IPv6 address consists of, up to its prefix length or something that cannot be part of it. */
const V6 = /^[\da-f:]{2,39}(?![\w:.])/;

/**
 * The source of a key that is a client's, or begins with it: an address, a subnet, or one of these with more behind it,
 * such as `203.0.113.7:bob` and `2001:db8::/64:bob`.
 *
 * It depends on the text alone, so that a key has one source for ever.
 *
 * @param key The key
 * @returns The source, `null` for other keys
 */
export function sourceOf(key: string): KeySource | null {
  // most keys end here
  const first = key.charCodeAt(0) | 32;
  if (first < 48 || first > 102) return null;
  const v4 = V4.exec(key);
  if (v4 !== null) return { isV6: false, wide: (Number(v4[1]) << 8) | Number(v4[2]), narrow: Number(v4[3]) };
  const v6 = V6.exec(key)?.[0];
  if (v6 === undefined) return null;
  const zeros = v6.indexOf("::");
  if (zeros === -1 && v6.split(":").length !== 8) return null;
  // what the compressed zeros stand for, and all behind them, is zero here: three groups are looked at
  const [a, b, c] = (zeros === -1 ? v6 : v6.slice(0, zeros)).split(":", 3).map((group) => parseInt(group || "0", 16));
  return { isV6: true, wide: (a! << 16) | (b ?? 0), narrow: c ?? 0 };
}

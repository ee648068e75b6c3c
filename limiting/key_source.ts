/** Where a client's address comes from: the networks that a single attacker may control entirely. */
export interface KeySource {
  /** Whether it is an IPv6 address. */
  readonly isV6: boolean;
  /** The wide network: a /32 for IPv6, a /16 for IPv4. */
  readonly wide: number;
  /** The narrow network within it, identified by 16 or 8 more bits: a /48 for IPv6, a /24 for IPv4. */
  readonly narrow: number;
}

/** Characters in an IPv6 address, up to its prefix length or a character that cannot be part of it. */
const V6 = /^[\da-f:]{2,39}(?![\w:.])/;
const DOT = 46;

/**
 * The source of a key that begins with a client's key: an address or subnet, perhaps with more after it, such as
 * `203.0.113.7:bob` and `2001:db8::/64:bob`.
 *
 * It depends on the string alone, so a key always has the same source.
 *
 * @param key The key
 * @returns The source, or `null` if it has none
 */
export function sourceOf(key: string): KeySource | null {
  const first = key.charCodeAt(0);
  if (isDigit(first)) return sourceOfV4(key) ?? sourceOfV6(key);
  return first === 58 || first >= 97 && first <= 102 ? sourceOfV6(key) : null;
}

// character by character, because it runs for every new key
function sourceOfV4(key: string): KeySource | null {
  let [bits, part, digits, dots] = [0, 0, 0, 0];
  for (let at = 0; at < 16; at++) {
    const code = key.charCodeAt(at);
    if (isDigit(code) && digits < 3) {
      part = part * 10 + code - 48;
      digits++;
    } else if (code === DOT && dots < 3 && digits > 0) {
      bits = bits << 8 | part;
      part = digits = 0;
      dots++;
    } else if (dots < 3 || digits === 0 || isDigit(code) || code === DOT) return null;
    // the last part does not distinguish networks
    else break;
  }
  return { isV6: false, wide: bits >>> 8, narrow: bits & 255 };
}

function sourceOfV6(key: string): KeySource | null {
  const text = V6.exec(key)?.[0];
  if (text === undefined) return null;
  const zeros = text.indexOf("::");
  if (zeros === -1 && text.split(":").length !== 8) return null;
  // compressed zeros and everything after them count as zero here: only three groups matter
  const [a, b, c] = (zeros === -1 ? text : text.slice(0, zeros)).split(":", 3).map((group) =>
    parseInt(group || "0", 16)
  );
  return { isV6: true, wide: (a! << 16) | (b ?? 0), narrow: c ?? 0 };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

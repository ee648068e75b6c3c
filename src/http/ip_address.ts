import { describe } from "../util/error_text.ts";

/** The sixteen-bit groups of an IPv6 address. */
type Groups = readonly number[];

/**
 * Parses an address into sixteen-bit groups: two for IPv4, eight for IPv6.
 *
 * @param text An address in any spelling, with or without brackets or a zone
 * @returns The groups, `null` if it is not an address; a mapped IPv4 address yields the IPv4 address
 */
function parseAddress(text: string): Groups | null {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  const groups = bare.includes(":") ? parseV6(bare) : parseV4(bare);
  // checks the bits, because there are many spellings (see CVE-2026-30827)
  return groups?.length === 8 && isMapped(groups) ? groups.slice(6) : groups;
}

function isMapped(groups: Groups): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

function parseV4(text: string): Groups | null {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  const bytes = parts.map((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256);
  if (bytes.some((byte) => byte > 255)) return null;
  return [(bytes[0]! << 8) | bytes[1]!, (bytes[2]! << 8) | bytes[3]!];
}

function parseV6(text: string): Groups | null {
  const zone = text.indexOf("%");
  let body = zone === -1 ? text : text.slice(0, zone);
  const dotted = body.slice(body.lastIndexOf(":") + 1);
  if (dotted.includes(".")) {
    const v4 = parseV4(dotted);
    if (v4 === null) return null;
    body = body.slice(0, -dotted.length) + v4.map((group) => group.toString(16)).join(":");
  }
  const halves = body.split("::");
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half) => half === "" ? [] : half.split(":").map(parseGroup));
  if (head === undefined || [...head, ...tail ?? []].includes(null)) return null;
  if (tail === undefined) return head.length === 8 ? head as number[] : null;
  const missing = 8 - head.length - tail.length;
  return missing < 1 ? null : [...head, ...new Array(missing).fill(0), ...tail] as number[];
}

function parseGroup(text: string): number | null {
  return /^[0-9a-f]{1,4}$/i.test(text) ? parseInt(text, 16) : null;
}

/**
 * Formats an address in RFC 5952's canonical form; an IPv4-mapped IPv6 address becomes the IPv4 address.
 *
 * @param text An address in any spelling
 * @returns The canonical form, `undefined` if it is not an address
 */
export function canonicalAddress(text: string): string | undefined {
  const groups = parseAddress(text);
  return groups === null ? undefined : format(groups);
}

function format(groups: Groups): string {
  if (groups.length === 2) return groups.flatMap((group) => [group >> 8, group & 255]).join(".");
  const run = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(":");
  return `${hex.slice(0, run.start).join(":")}::${hex.slice(run.start + run.length).join(":")}`;
}

function longestZeros(groups: Groups): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/**
 * Reduces an address to its subnet, because one IPv6 client usually has a whole subnet.
 *
 * @param text An address in any spelling
 * @param prefixLength IPv6 address bits to keep, 0 to 128
 * @param ipv4PrefixLength IPv4 address bits to keep, 0 to 32; all bits by default
 * @returns For example `2001:db8::/64`, or `198.51.100.0/24`; `undefined` if it is not an address
 * @throws {RangeError} If a bit count is out of range, or the one for IPv6 is missing
 *
 * @example One key for all of a client's addresses, and one for a whole network
 * ```ts
 * import { subnetOf } from "@sluice/rate-limit";
 *
 * console.log(subnetOf("2001:db8:1:2:3:4:5:6", 64), subnetOf("198.51.100.7", 64)); // 2001:db8:1:2::/64 198.51.100.7
 * console.log(subnetOf("198.51.100.7", 64, 24)); // 198.51.100.0/24
 * ```
 */
export function subnetOf(text: string, prefixLength: number, ipv4PrefixLength?: number): string | undefined {
  // without it, each address would count as a separate client
  checkBits("the number of bits to keep", prefixLength, 128);
  if (ipv4PrefixLength !== undefined) checkBits("the number of an IPv4 address's bits to keep", ipv4PrefixLength, 32);
  const groups = parseAddress(text);
  if (groups === null) return undefined;
  const bits = groups.length === 2 ? ipv4PrefixLength : prefixLength;
  return bits === undefined ? format(groups) : `${format(masked(groups, bits))}/${bits}`;
}

function checkBits(what: string, bits: number, most: number): void {
  if (Number.isInteger(bits) && bits >= 0 && bits <= most) return;
  throw new RangeError(`subnetOf expects ${what}, from 0 to ${most}, not ${describe(bits)}`);
}

function masked(groups: Groups, bits: number): number[] {
  return groups.map((group, i) => {
    const kept = Math.max(0, Math.min(16, bits - i * 16));
    return group & (0xffff << (16 - kept)) & 0xffff;
  });
}

/** Advice in error messages. */
const SUBNETS = 'accepts addresses, subnets like "10.0.0.0/8", "loopback", "linklocal", "uniquelocal"';
const TRUSTED = `"trust proxy" ${SUBNETS}, and true or a number of proxies (not as strings)`;

const NAMED: Readonly<Record<string, readonly string[]>> = {
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  loopback: ["127.0.0.1/8", "::1/128"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/** Returns whether an address, in any spelling, is in a subnet. */
export type SubnetTest = (address: string | undefined) => boolean;

/**
 * Parses a subnet: an address, a CIDR block (`10.0.0.0/8`), a netmask (`10.0.0.0/255.0.0.0`), or one of the names
 * `loopback`, `linklocal`, `uniquelocal`. `trust proxy` uses it.
 *
 * @param text The subnet
 * @returns A function that returns whether an address is in the subnet; it accepts IPv4-mapped addresses, but no ports
 * @throws {TypeError} If it is none of these
 *
 * @example Block several networks
 * ```ts
 * import { parseSubnet } from "@sluice/rate-limit";
 *
 * const blocked = ["198.51.100.0/24", "2001:db8:bad::/48"].map(parseSubnet);
 * const isBlocked = (address: string) => blocked.some((contains) => contains(address));
 * console.log(isBlocked("198.51.100.7"), isBlocked("203.0.113.1")); // true false
 * ```
 */
export function parseSubnet(text: string): SubnetTest {
  if (typeof text === "string") return compileSubnet(text, `parseSubnet ${SUBNETS}`);
  throw new TypeError(`parseSubnet ${SUBNETS}, not ${describe(text)}`);
}

/** The same, for an entry in `trust proxy`. */
export function parseTrusted(text: string): SubnetTest {
  return compileSubnet(text, TRUSTED);
}

function compileSubnet(text: string, advice: string): SubnetTest {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named !== undefined) {
    const subnets = named.map(parseSubnet);
    return (address) => subnets.some((contains) => contains(address));
  }
  const slash = text.lastIndexOf("/");
  const groups = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (groups === null) throw new TypeError(`invalid IP address: ${text}; ${advice}`);
  const most = groups.length * 16;
  const bits = slash === -1 ? most : prefixBits(text.slice(slash + 1), most, text.includes(":"));
  if (!(bits > 0 && bits <= most)) throw new TypeError(`invalid range on address: ${text}; ${advice}`);
  const network = masked(groups, bits).join();
  return (address) => {
    const other = address === undefined ? null : parseAddress(address);
    return other !== null && other.length === groups.length && masked(other, bits).join() === network;
  };
}

function prefixBits(range: string, most: number, isV6: boolean): number {
  const mask = most === 32 ? parseV4(range) : null;
  if (mask !== null) return maskBits(mask);
  // the prefix of an IPv4-mapped subnet counts from IPv6's 128 bits
  return /^\d+$/.test(range) ? Number(range) - (isV6 && most === 32 ? 96 : 0) : NaN;
}

function maskBits(mask: Groups): number {
  const text = mask.map((group) => group.toString(2).padStart(16, "0")).join("");
  return /^1*0*$/.test(text) ? text.lastIndexOf("1") + 1 : NaN;
}

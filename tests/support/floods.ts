/** Addresses that attack a limiter, and clients that arrive during the attack; both are functions of a number. */

/** An IPv4 address from its 32 bits. */
function v4(bits: number): string {
  return [bits >>> 24, bits >>> 16 & 255, bits >>> 8 & 255, bits & 255].join(".");
}

const hex = (number: number): string => number.toString(16);
/** The /48 of a /32 by number, shuffled. */
const site = (number: number): string => hex(Math.imul(number, 7919) & 0xffff);

/** Makes the address of the next request's client, by number. */
export type Crowd = (number: number) => string;

/** Attacks by name: each number is a different client from few networks. */
export const FLOODS: Readonly<Record<string, Crowd>> = {
  "two /48s": (i) => `2001:db8:${i & 1}:${hex(i >> 1)}::1`,
  "many /48s of one /32": (i) => `2001:db8:${site(i)}:${hex(i >> 12)}::1`,
  "four /32s": (i) => `2001:${hex(0xd00 + (i & 3))}:${site(i)}:${hex(i >> 12)}::1`,
  "two IPv4 /16s": (i) => v4((45 << 24) + ((i & 1) << 16) + (i >> 1)),
  "ten IPv4 /16s": (i) => v4((45 << 24) + (i % 10 << 16) + Math.floor(i / 10)),
  "a /32 and two IPv4 /16s": (i) => i & 1 ? v4((45 << 24) + ((i & 2) << 15) + (i >> 2)) : `2001:db8:${site(i)}:1::1`,
};

/** Other clients by name: 300 of them, spread over many networks, or all from one. */
export const NEWCOMERS: Readonly<Record<string, Crowd>> = {
  "IPv4 clients of many networks": (i) => v4(((1 + i % 40) << 24) + (i * 7 << 16) + i),
  "IPv4 clients of two /24s": (i) => v4((198 << 24) + (51 << 16) + i),
  "IPv6 clients of many networks": (i) => `2a02:${hex(i)}:1:1::1`,
  "IPv6 clients of one /48": (i) => `2a03:1:1:${hex(i)}::1`,
};

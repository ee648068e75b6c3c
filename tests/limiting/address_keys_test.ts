import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { AddressKeys } from "@sluice/limiting";
import { parseSubnet, subnetOf } from "@sluice/shared";
import { rateLimit } from "@sluice/sluice";
import { random } from "../support/random.ts";

const pick = random(20_260_723);
const keys = new AddressKeys(64, "share");

function oneOf<T>(values: readonly T[]): T {
  return values[pick(values.length)]!;
}

/** Eight random groups, many of them zero, for something to compress. */
function randomGroups(): number[] {
  const groups = Array.from({ length: 8 }, () => pick(3) === 0 ? 0 : pick(4) === 0 ? pick(16) : pick(65_536));
  // an address that begins with eighty zero bits may be a mapped IPv4 address, which is tested elsewhere
  if (groups[0] === 0) groups[0] = 0x2001;
  return groups;
}

/** One group in any legal spelling: any case, up to three leading zeros. */
function spellGroup(group: number): string {
  const hex = group.toString(16);
  const padded = hex.padStart(hex.length + pick(5 - hex.length), "0");
  return [...padded].map((digit) => pick(2) === 0 ? digit.toUpperCase() : digit).join("");
}

/** Groups joined by colons, possibly with one run of zeros compressed and the last two as a dotted quad. */
function spell(groups: readonly number[], { dotted = pick(3) === 0 } = {}): string {
  const parts = groups.map(spellGroup);
  if (dotted) {
    const [high, low] = groups.slice(6) as [number, number];
    parts.splice(6, 2, [high >> 8, high & 255, low >> 8, low & 255].join("."));
  }
  const numbers = dotted ? groups.slice(0, 6) : groups;
  const runs: [number, number][] = [];
  for (let start = 0; start < numbers.length; start++) {
    for (let end = start + 1; end <= numbers.length && numbers[end - 1] === 0; end++) runs.push([start, end]);
  }
  if (runs.length === 0 || pick(3) === 0) return parts.join(":");
  const [start, end] = oneOf(runs);
  return `${parts.slice(0, start).join(":")}::${parts.slice(end).join(":")}`;
}

/** The same address as formatted by platforms and proxies: in brackets, with a port or a zone. */
function dress(address: string): string {
  const zoned = pick(4) === 0 ? `${address}%eth${pick(10)}` : address;
  return oneOf([zoned, zoned, `[${zoned}]`, `[${zoned}]:${pick(65_536)}`]);
}

Deno.test("a subnet without a valid number of bits is refused: each of its addresses would be a client", () => {
  for (const [bits, shown] of [[undefined, "undefined"], [NaN, "NaN"], [-1, "-1"], [129, "129"], ["64", '"64"']]) {
    const refused = `subnetOf expects the number of bits to keep, from 0 to 128, not ${shown}`;
    assertThrows(() => subnetOf("2001:db8::1", bits as number), RangeError, refused);
  }
});

Deno.test("the bits of an IPv4 address are a number of their own", () => {
  for (const bits of [0, 8, 24, 32, 64, 128]) assertEquals(subnetOf("198.51.100.7", bits), "198.51.100.7");
  for (let i = 0; i < 2_000; i++) {
    const bits = pick(33);
    const [high, low] = [pick(65_536), pick(65_536)];
    const kept = bits === 0 ? 0n : (BigInt(high * 65_536 + low) >> BigInt(32 - bits)) << BigInt(32 - bits);
    const bytes = [24n, 16n, 8n, 0n].map((shift) => (kept >> shift) & 255n).join(".");
    const address = [high >> 8, high & 255, low >> 8, low & 255].join(".");
    assertEquals(subnetOf(address, pick(129), bits), `${bytes}/${bits}`);
    assertEquals(subnetOf(`::ffff:${address}`, pick(129), bits), `${bytes}/${bits}`);
  }
  assertEquals(subnetOf("2001:db8::1", 48, 24), "2001:db8::/48");
  const refused = "subnetOf expects the number of an IPv4 address's bits to keep, from 0 to 32, not 64";
  assertThrows(() => subnetOf("198.51.100.7", 24, 64), RangeError, refused);
});

Deno.test("a list of networks has the addresses that are in them, in every spelling", () => {
  for (let i = 0; i < 2_000; i++) {
    const groups = randomGroups();
    const [high, low] = [pick(65_536), pick(65_536)];
    const v4 = [high >> 8, high & 255, low >> 8, low & 255].join(".");
    const bits = 1 + pick(128);
    const v4Bits = 1 + pick(32);
    const contains = parseSubnet(subnetOf(spell(groups), bits)!);
    const containsV4 = parseSubnet(subnetOf(v4, 64, v4Bits)!);
    assert(contains(spell(groups)) && containsV4(v4) && containsV4(`::ffff:${v4}`));
    assert(!contains(v4) && !containsV4(spell(groups)));
    const flipped = pick(bits);
    const other = groups.map((group, at) => at === flipped >> 4 ? group ^ (0x8000 >> (flipped & 15)) : group);
    assert(!contains(other.map((group) => group.toString(16)).join(":")) || other[0] === 0);
  }
  assert(parseSubnet("uniquelocal")("10.1.2.3") && !parseSubnet("uniquelocal")("198.51.100.7"));
  for (const address of [undefined, "", "198.51.100.7:80", "unknown"]) {
    assertEquals(parseSubnet("198.51.100.0/24")(address), false);
  }
  for (const wrong of ["198.51.100.0/33", "198.51.100", "", "2001:db8::/129", "10.0.0.0/255.0.255.0"]) {
    assertThrows(() => parseSubnet(wrong), TypeError, "parseSubnet accepts addresses, subnets like");
  }
  assertThrows(() => parseSubnet(24 as unknown as string), TypeError, '"uniquelocal", not 24');
});

Deno.test("an IPv6 address has one key, however it is written", () => {
  for (let i = 0; i < 2_000; i++) {
    const groups = randomGroups();
    const expected = keys.of(groups.map((group) => group.toString(16)).join(":"));
    assert(expected.endsWith("/64"), expected);
    for (let j = 0; j < 8; j++) {
      const spelling = dress(spell(groups));
      assertEquals(keys.of(spelling), expected, spelling);
    }
  }
});

Deno.test("addresses of one /64 have one key, those of different ones different keys", () => {
  for (let i = 0; i < 2_000; i++) {
    const groups = randomGroups();
    const neighbour = [...groups.slice(0, 4), ...randomGroups().slice(4)];
    assertEquals(keys.of(spell(groups)), keys.of(spell(neighbour)));
    const stranger = [...groups];
    // one prefix bit, as long as the address does not then begin with zeros
    const place = 1 + pick(3);
    stranger[place] = stranger[place]! ^ (1 << pick(16));
    assertNotEquals(keys.of(spell(groups)), keys.of(spell(stranger)));
  }
});

Deno.test("a mapped IPv4 address has the key of its IPv4 address in every spelling, and no other address does", () => {
  for (let i = 0; i < 2_000; i++) {
    const [high, low] = [pick(65_536), pick(65_536)];
    const v4 = [high >> 8, high & 255, low >> 8, low & 255].join(".");
    assertEquals(keys.of(v4), v4);
    assertEquals(keys.of(`${v4}:${pick(65_536)}`), v4);
    const mapped = [0, 0, 0, 0, 0, 0xffff, high, low];
    for (let j = 0; j < 4; j++) {
      const spelling = dress(spell(mapped));
      assertEquals(keys.of(spelling), v4, spelling);
    }
    assertEquals(keys.of(`${spell(mapped, { dotted: true })}:${pick(65_536)}`), v4);
    // an ordinary address that ends in a dotted quad must not become an IPv4 client
    for (const start of [[0x2001, 0xdb8, 0, 0, 0, 0xffff], [0, 0, 0, 0, 0xffff, 0], [0x64, 0xff9b, 0, 0, 0, 0]]) {
      assertNotEquals(keys.of(spell([...start, high, low], { dotted: true })), v4);
    }
  }
});

Deno.test("ipv6Subnet sets how many bits identify a client", () => {
  const at = (bits: number, address: string) => new AddressKeys(bits, "share").of(address);
  assertEquals(at(48, "2001:db8:1:2::1"), at(48, "2001:db8:1:ffff::1"));
  assertNotEquals(at(48, "2001:db8:1::1"), at(48, "2001:db8:2::1"));
  assertEquals(at(56, "2001:db8:1:2ff::"), at(56, "2001:db8:1:200::"));
  assertNotEquals(at(56, "2001:db8:1:2ff::"), at(56, "2001:db8:1:300::"));
  assertNotEquals(at(128, "2001:db8::1"), at(128, "2001:db8::2"));
  assertEquals(at(1, "8000::"), at(1, "ffff::"));
  assertEquals(at(48, "192.0.2.1"), "192.0.2.1");
  for (const ipv6Subnet of [0, 129, 63.5, NaN]) assertThrows(() => rateLimit({ ipv6Subnet }), RangeError, "ipv6Subnet");
});

Deno.test("a value that is no address is its own key, however long and odd", () => {
  const wild = ["unknown", "_hidden", "1.2.3", "1.2.3.4.5", "1.2.3.256", "::g", "1:2", ":::", "[::1", "::1]", "::1::"];
  const long = [":".repeat(20_000), "1:".repeat(10_000), `${"1".repeat(20_000)}:80`, `::1%${"x".repeat(20_000)}`];
  for (const text of wild) assertEquals(keys.of(text), text);
  assertEquals(new Set([...wild, ...long].map((text) => keys.of(text))).size, wild.length + long.length);
});

Deno.test("a request without a known client has one shared key or is an error, never another client's key", () => {
  for (const address of [undefined, ""]) {
    assertEquals(keys.of(address), keys.of(undefined));
    assertThrows(() => new AddressKeys(64, "error").of(address), TypeError, "trust proxy");
  }
  for (const text of ["undefined", "null", "unknown client"]) assertNotEquals(keys.of(text), keys.of(undefined));
});

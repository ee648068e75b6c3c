import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import sluice from "@sluice/sluice";
import { subnetOf } from "@sluice/sluice/limiting";
import { rateLimit, type RateLimitOptions } from "../../mod.ts";
import { ClientKeys } from "../../src/keys/client_key.ts";
import { encodeKey } from "../../src/keys/encode_key.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

const pick = seededRandom(20_260_723);
const keys = new ClientKeys(64, "share");

function oneOf<T>(values: readonly T[]): T {
  return values[pick(values.length)]!;
}

/** Eight random groups, many of them zero, so that there is something to compress. */
function randomGroups(): number[] {
  const groups = Array.from({ length: 8 }, () => pick(3) === 0 ? 0 : pick(4) === 0 ? pick(16) : pick(65_536));
  // what begins with eighty zero bits may be a mapped IPv4 address, which is another matter
  if (groups[0] === 0) groups[0] = 0x2001;
  return groups;
}

/** One group in any legal spelling: any case, up to three leading zeros. */
function spellGroup(group: number): string {
  const hex = group.toString(16);
  const padded = hex.padStart(hex.length + pick(5 - hex.length), "0");
  return [...padded].map((digit) => pick(2) === 0 ? digit.toUpperCase() : digit).join("");
}

/** Groups joined by colons, one run of zeros perhaps compressed, the last two perhaps as a dotted quad. */
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

/** The same with what platforms and proxies put around an address. */
function dress(address: string): string {
  const zoned = pick(4) === 0 ? `${address}%eth${pick(10)}` : address;
  return oneOf([zoned, zoned, `[${zoned}]`, `[${zoned}]:${pick(65_536)}`]);
}

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
    // one bit of the prefix, but not so that the address begins with zeros
    const place = 1 + pick(3);
    stranger[place] = stranger[place]! ^ (1 << pick(16));
    assertNotEquals(keys.of(spell(groups)), keys.of(spell(stranger)));
  }
});

Deno.test("a mapped IPv4 address is its IPv4 address in every spelling, and no other address is", () => {
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

Deno.test("ipv6Subnet says how many bits make a client", () => {
  const at = (bits: number, address: string) => new ClientKeys(bits, "share").of(address);
  assertEquals(at(48, "2001:db8:1:2::1"), at(48, "2001:db8:1:ffff::1"));
  assertNotEquals(at(48, "2001:db8:1::1"), at(48, "2001:db8:2::1"));
  assertEquals(at(56, "2001:db8:1:2ff::"), at(56, "2001:db8:1:200::"));
  assertNotEquals(at(56, "2001:db8:1:2ff::"), at(56, "2001:db8:1:300::"));
  assertNotEquals(at(128, "2001:db8::1"), at(128, "2001:db8::2"));
  assertEquals(at(1, "8000::"), at(1, "ffff::"));
  assertEquals(at(48, "192.0.2.1"), "192.0.2.1");
  for (const ipv6Subnet of [0, 129, 63.5, NaN]) assertThrows(() => rateLimit({ ipv6Subnet }), RangeError, "ipv6Subnet");
});

Deno.test("what is no address is a key of its own, however long and wild", () => {
  const wild = ["unknown", "_hidden", "1.2.3", "1.2.3.4.5", "1.2.3.256", "::g", "1:2", ":::", "[::1", "::1]", "::1::"];
  const long = [":".repeat(20_000), "1:".repeat(10_000), `${"1".repeat(20_000)}:80`, `::1%${"x".repeat(20_000)}`];
  for (const text of wild) assertEquals(keys.of(text), text);
  assertEquals(new Set([...wild, ...long].map((text) => keys.of(text))).size, wild.length + long.length);
});

type Ask = { trust?: unknown; forwarded?: string | null; peer?: string };

function appWith(options: RateLimitOptions, trust?: unknown) {
  const app = sluice().set("env", "test");
  if (trust !== undefined) app.set("trust proxy", trust);
  app.use(rateLimit(options));
  app.get("/", (_req, res) => res.send("hello"));
  return async ({ forwarded = null, peer = "192.0.2.1" }: Ask) => {
    const headers = new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded });
    const answer = await app.fetch(new Request("http://localhost/", { headers }), { remoteAddr: { hostname: peer } });
    await answer.body?.cancel();
    return answer.status;
  };
}

const FORGED = [
  ...[
    "198.51.100.7",
    "::1",
    "2001:db8::7",
    "unknown",
    "a, b",
    ",,,",
    " ",
    "198.51.100.7:80",
    "[::1]:80",
    "fe80::1%eth0",
  ],
  ...["_obfuscated", "127.0.0.1", "192.0.2.1, 192.0.2.1", "x".repeat(6_000), '"', "for=198.51.100.7"],
];

Deno.test("without trust proxy no forwarding header changes the key, whatever it holds", async () => {
  const ask = appWith({ max: 1 });
  assertEquals(await ask({}), 200);
  for (const forwarded of FORGED) assertEquals(await ask({ forwarded }), 429, forwarded.slice(0, 30));
});

Deno.test("behind one proxy only the entry it added counts, whatever the client wrote before it", async () => {
  const ask = appWith({ max: 1 }, 1);
  assertEquals(await ask({ forwarded: "203.0.113.5" }), 200);
  for (const forged of FORGED) {
    assertEquals(await ask({ forwarded: `${forged}, 203.0.113.5` }), 429, forged.slice(0, 30));
  }
  assertEquals(await ask({ forwarded: "203.0.113.5:40123" }), 429);
  assertEquals(await ask({ forwarded: "::ffff:203.0.113.5" }), 429);
  assertEquals(await ask({ forwarded: "[::FFFF:cb00:7105]:9" }), 429);
  assertEquals(await ask({ forwarded: "203.0.113.6" }), 200);
});

Deno.test("behind trusted subnets the walk ends at the first address that is not trusted", async () => {
  const ask = appWith({ max: 1 }, "loopback, 10.0.0.0/8");
  assertEquals(await ask({ peer: "10.0.0.1", forwarded: "203.0.113.5, 10.1.1.1" }), 200);
  for (const forged of FORGED) {
    assertEquals(await ask({ peer: "10.0.0.1", forwarded: `${forged}, 203.0.113.5, 10.9.9.9` }), 429);
  }
  assertEquals(await ask({ peer: "192.0.2.1", forwarded: "203.0.113.5" }), 200);
  assertEquals(await ask({ peer: "192.0.2.1", forwarded: "203.0.113.99" }), 429);
});

Deno.test("a second layer for a whole site is one more limit with a key of its own", async () => {
  const ask = appWith({
    limits: [{ name: "client", max: 2 }, { name: "site", max: 5 }],
    keyGenerator: ({ ip = "unknown" }) => ({ client: ip, site: subnetOf(ip, 48) ?? ip }),
  });
  const from = (subnet: number, host: number) =>
    ask({ peer: `2001:db8:1:${subnet.toString(16)}::${host.toString(16)}` });
  // the generator handed out req.ip, and still a /64 is one client
  assertEquals([await from(1, 1), await from(1, 2), await from(1, 3)], [200, 200, 429]);
  // three more subnets of the same site, until the site has no more
  assertEquals([await from(2, 1), await from(3, 1), await from(4, 1), await from(5, 1)], [200, 200, 200, 429]);
  assertEquals(await ask({ peer: "2001:db8:2::1" }), 200);
});

Deno.test("different keys stay different in the store, whatever they hold", () => {
  const PIECES = [
    ..."ab:/{}*?[]\\\"'% \u0000\u0001\u0002\u0003\n\r\u007f\u00e9\u0301\ufffd",
    ...["\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ude00", "x".repeat(255), "x".repeat(300)],
  ];
  const seen = new Map<string, string>();
  const utf8 = new Map<string, string>();
  const see = (key: string) => {
    const stored = encodeKey(key);
    assert(stored.length <= 256);
    const before = seen.get(stored);
    assert(before === undefined || before === key, JSON.stringify([before, key]));
    seen.set(stored, key);
    const bytes = new TextEncoder().encode(stored).join();
    assert((utf8.get(bytes) ?? key) === key, `the same in UTF-8: ${JSON.stringify([utf8.get(bytes), key])}`);
    utf8.set(bytes, key);
    return stored;
  };
  for (let i = 0; i < 5_000; i++) {
    const key = Array.from({ length: 1 + pick(6) }, () => oneOf(PIECES)).join("");
    const stored = see(key);
    // what the store holds is a legal key too, and another one unless it is the same text
    if (stored !== key) see(stored);
  }
  for (const start of ["", "x".repeat(300)]) {
    const alike = ["\ud800", "\ud801", "\ufffd", "\\ud800", '"\\ud800"'].map((end) => see(start + end));
    assertEquals(new Set(alike).size, alike.length);
  }
});

Deno.test("a request without a known client shares one key or is an error, never somebody's key", () => {
  for (const address of [undefined, ""]) {
    assertEquals(keys.of(address), keys.of(undefined));
    assertThrows(() => new ClientKeys(64, "error").of(address), TypeError, "trust proxy");
  }
  for (const text of ["undefined", "null", "unknown client"]) assertNotEquals(keys.of(text), keys.of(undefined));
});

import { assertEquals, assertNotEquals } from "@std/assert";
import { sourceOf } from "../../limiting/key_source.ts";

const at = (key: string) => sourceOf(key);

Deno.test("addresses, subnets and keys that begin with one come from their /16 and /24, or /32 and /48", () => {
  const v4 = { isV6: false, wide: 203 * 256 + 0, narrow: 113 };
  for (
    const key of ["203.0.113.7", "203.0.113.255", "203.0.113.7:bob", "203.0.113.7 bob", "203.0.113.7/x", "203.0.113.7é"]
  ) {
    assertEquals(at(key), v4, key);
  }
  const v6 = { isV6: true, wide: (0x2001 << 16) | 0xdb8, narrow: 7 };
  for (
    const key of [
      "2001:db8:7::/64",
      "2001:db8:7:1::/64:bob",
      "2001:db8:7:1:2:3:4:5",
      "2001:db8:7::1|bob",
      "2001:db8:7::",
    ]
  ) {
    assertEquals(at(key), v6, key);
  }
  assertEquals(at("2001:db8::/64"), { ...v6, narrow: 0 });
  assertEquals(at("::1/128"), { isV6: true, wide: 0, narrow: 0 });
  assertEquals(at("fe80::/64")?.wide, 0xfe80 << 16);
  assertNotEquals(at("2001:db8:7::/64"), at("2001:db8:8::/64"));
});

Deno.test("other keys come from nowhere", () => {
  const others = ["", "bob", "customer 7", "7", "12:34:56", "1.2.3", "1.2.3.", "1.2.3.4.5", "1.2.3.4567", "1234.1.1.1"];
  others.push(
    "a::b::go",
    "cafe",
    "dead:beef",
    "2001:db8::1:bob",
    "::ffff:1.2.3.4",
    "user:203.0.113.7",
    "1..2.3",
    ".1.2.3",
  );
  for (const key of others) assertEquals(at(key), null, key);
});

import { assertEquals, assertThrows } from "@std/assert";
import sluice from "@sluice/sluice";
import { subnetOf } from "@sluice/shared";
import { rateLimit, type RateLimitOptions } from "../../mod.ts";

type Ask = { trust?: unknown; forwarded?: string | null; peer?: string };

function appWith(options: RateLimitOptions, trust?: unknown) {
  const app = sluice().set("env", "test");
  if (trust !== undefined) app.set("trust proxy", trust);
  app.use(rateLimit(options));
  app.get("/", (_req, res) => res.send("hello"));
  return async ({ forwarded = null, peer = "192.0.2.1" }: Ask) => {
    const headers = new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded });
    const response = await app.fetch(new Request("http://localhost/", { headers }), { remoteAddr: { hostname: peer } });
    await response.body?.cancel();
    return response.status;
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

Deno.test("without trust proxy, no forwarding header changes the key, whatever it contains", async () => {
  const ask = appWith({ limit: 1 });
  assertEquals(await ask({}), 200);
  for (const forwarded of FORGED) assertEquals(await ask({ forwarded }), 429, forwarded.slice(0, 30));
});

Deno.test("behind one proxy, only the entry it added is used, whatever the client wrote before it", async () => {
  const ask = appWith({ limit: 1 }, 1);
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
  const ask = appWith({ limit: 1 }, "loopback, 10.0.0.0/8");
  assertEquals(await ask({ peer: "10.0.0.1", forwarded: "203.0.113.5, 10.1.1.1" }), 200);
  for (const forged of FORGED) {
    assertEquals(await ask({ peer: "10.0.0.1", forwarded: `${forged}, 203.0.113.5, 10.9.9.9` }), 429);
  }
  assertEquals(await ask({ peer: "192.0.2.1", forwarded: "203.0.113.5" }), 200);
  assertEquals(await ask({ peer: "192.0.2.1", forwarded: "203.0.113.99" }), 429);
});

Deno.test("a second layer for a whole site is another limit with its own key", async () => {
  const ask = appWith({
    limits: [{ name: "client", limit: 2 }, { name: "site", limit: 5 }],
    keyGenerator: ({ ip = "unknown" }) => ({ client: ip, site: subnetOf(ip, 48) ?? ip }),
  });
  const from = (subnet: number, host: number) =>
    ask({ peer: `2001:db8:1:${subnet.toString(16)}::${host.toString(16)}` });
  // the generator returned req.ip, and a /64 still counts as one client
  assertEquals([await from(1, 1), await from(1, 2), await from(1, 3)], [200, 200, 429]);
  // three more subnets at the same site, until the site's quota is used up
  assertEquals([await from(2, 1), await from(3, 1), await from(4, 1), await from(5, 1)], [200, 200, 200, 429]);
  assertEquals(await ask({ peer: "2001:db8:2::1" }), 200);
});

Deno.test("ipv6Subnet is a number of bits", () => {
  for (const ipv6Subnet of [0, 129, 63.5, NaN]) assertThrows(() => rateLimit({ ipv6Subnet }), RangeError, "ipv6Subnet");
});

import { assertEquals, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { clientKey, type ClientKeyOptions, rateLimit, type RateLimitOptions } from "@sluice/sluice";
import { quietApp } from "../support/app.ts";
import { warningsOf } from "../support/warnings.ts";

Deno.test("clientKey is the address of an IPv4 client and the subnet of an IPv6 client, in one spelling", () => {
  const told = (ip: string, options?: ClientKeyOptions) => clientKey({ ip }, options);
  assertEquals(told("203.0.113.7"), "203.0.113.7");
  assertEquals(told("::ffff:203.0.113.7"), "203.0.113.7");
  assertEquals(told("2001:DB8:0::1"), "2001:db8::/64");
  assertEquals(told("[2001:db8::1]:4711"), "2001:db8::/64");
  assertEquals(told("2001:db8:1:2ff::1", { ipv6Subnet: 56 }), "2001:db8:1:200::/56");
  assertEquals(told("2001:db8:1:2ff::1", { ipv6Subnet: undefined }), "2001:db8:1:2ff::/64");
  assertEquals(told("2001:db8::1", { ipv6Subnet: 128 }), "2001:db8::1/128");
});

Deno.test("clientKey of what is no request, and of options that it does not have, is an error that says what to do", () => {
  assertThrows(() => clientKey("2001:db8::1" as never), TypeError, "use clientKey({ ip: address })");
  assertThrows(() => clientKey(undefined as never), TypeError, "clientKey expects a request, not undefined");
  assertThrows(() => clientKey({}, { prefix: 48 } as never), TypeError, "clientKey: there is no option prefix");
  assertThrows(() => clientKey({}, { ipv6Subnet: 129 }), RangeError, "clientKey: option ipv6Subnet");
});

Deno.test("clients whose address is unknown have one key, with a warning", async () => {
  const told = await warningsOf(() => {
    assertEquals(clientKey({}), clientKey({ ip: undefined }));
    assertNotEquals(clientKey({}), clientKey({ ip: "undefined" }));
  });
  assertEquals(told.length, 1);
  assertStringIncludes(told[0]!, "the client's address is unknown");
});

function appWith(options: RateLimitOptions, trust?: unknown) {
  const app = quietApp();
  if (trust !== undefined) app.set("trust proxy", trust);
  app.use(rateLimit({ limit: 2, ...options }), (_req, res) => res.send("in"));
  return async (hostname: string, headers: Record<string, string> = {}) =>
    (await app.fetch(new Request("http://localhost/?user=bob", { headers }), { remoteAddr: { hostname } })).status;
}

/** Six requests from different addresses in one /64. */
async function fromOneSubnet(options: RateLimitOptions): Promise<number[]> {
  const ask = appWith(options);
  const all: number[] = [];
  for (let i = 0; i < 6; i++) all.push(await ask(`2001:db8::${i + 1}`));
  return all;
}

Deno.test("with clientKey in a composite key, all addresses of a /64 have one quota", async () => {
  const told = await warningsOf(async () => {
    const admitted = [200, 200, 429, 429, 429, 429];
    const { user } = { user: "bob" };
    assertEquals(await fromOneSubnet({ keyGenerator: (req) => `${clientKey(req)}:${user}` }), admitted);
    assertEquals(await fromOneSubnet({ keyGenerator: (req) => `${user} ${clientKey(req)}` }), admitted);
    assertEquals(await fromOneSubnet({ keyGenerator: (req) => req.ip }), admitted);
  });
  assertEquals(told, []);
});

// each warning is printed once per process, so one test covers all warnings, starting with cases that must not warn
Deno.test("mistakes about who the client is are warned about once each, with what to change", async () => {
  const composite = { keyGenerator: ({ ip }: { ip?: string | undefined }) => `user bob at ${ip}, really` };
  const forwarded = { "x-forwarded-for": "203.0.113.5" };
  const none = await warningsOf(async () => {
    await appWith({ validate: false })("192.0.2.1", forwarded);
    await appWith({ validate: false }, true)("192.0.2.1", forwarded);
    await appWith({ validate: { default: false } })("192.0.2.1", forwarded);
    await appWith({ validate: { xForwardedForHeader: false } })("192.0.2.1", forwarded);
    await appWith({ validate: { trustProxy: false } }, true)("192.0.2.1", forwarded);
    await appWith({ ...composite, validate: false })("2001:db8::1");
    await appWith({ ...composite, validate: { keyGeneratorIpFallback: false } })("2001:db8::1");
    // a trusted proxy, and platforms that provide both the client and the header, or neither
    await appWith({}, 1)("192.0.2.1", forwarded);
    await appWith({}, "loopback")("192.0.2.1", forwarded);
    await appWith({})("203.0.113.5", { "x-forwarded-for": "198.51.100.7, 203.0.113.5" });
    await appWith({})("2001:db8::1", { forwarded: 'for="[2001:DB8:0::1]:80";proto=https' });
    await appWith({})("192.0.2.1");
    // the address may be anyone's
    await appWith({ keyGenerator: () => "customer 7" })("192.0.2.1", forwarded);
    await appWith({ keyGenerator: () => "customer 7" }, true)("192.0.2.1", forwarded);
    await appWith(composite)("192.0.2.1");
    await appWith(composite)("::ffff:192.0.2.1");
    // they look like the address
    await appWith({ keyGenerator: () => "tenant::1" })("::1");
    await appWith({ keyGenerator: () => "2001:db8::12 and 2001:db8::/64" })("2001:db8::1");
    await appWith({ keyGenerator: (req) => `${clientKey(req)}:bob` })("2001:db8::");
  });
  assertEquals(none, []);

  for (
    const [name, advice, make] of [
      ["xForwardedForHeader", '"trust proxy" to the number', () => appWith({})("192.0.2.1", forwarded)],
      ["trustProxy", '"trust proxy" to the number', () => appWith({}, true)("192.0.2.1", forwarded)],
      ["forwardedHeader", "send X-Forwarded-For", () => appWith({})("192.0.2.1", { forwarded: "for=203.0.113.5" })],
      ["keyGeneratorIpFallback", "use clientKey(req)", () => appWith(composite)("2001:db8::1")],
    ] as const
  ) {
    const told = await warningsOf(async () => {
      for (let times = 0; times < 3; times++) await make();
    });
    assertEquals(told.length, 1, name);
    assertStringIncludes(told[0]!, "rateLimit: ");
    assertStringIncludes(told[0]!, advice);
    assertStringIncludes(told[0]!, `validate: { ${name}: false }`);
  }
});

Deno.test("validate is a boolean or an object", () => {
  for (const validate of ["no", 0, null]) {
    assertThrows(() => rateLimit({ validate: validate as never }), TypeError, "rateLimit: option validate");
  }
});

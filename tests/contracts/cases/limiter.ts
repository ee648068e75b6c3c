import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Ask, type Chapter, chapter, json, seen, text } from "../case.ts";
import { RawSocket } from "../raw_socket.ts";

/** Advances the program's clock. */
export async function pass(ask: Ask, ms: number): Promise<void> {
  await text(ask, `/clock/${ms}`, { method: "POST" });
}

/** Sends requests as a client, one after the other, and returns their statuses. */
export async function statuses(ask: Ask, path: string, client: string, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push(await status(ask, path, client));
  return all;
}

/** Sends concurrent requests as a client, and returns how many were admitted. */
export async function admitted(ask: Ask, path: string, client: string, count: number): Promise<number> {
  const all = await Promise.all(Array.from({ length: count }, () => status(ask, path, client)));
  assertEquals(all.filter((one) => one !== 200 && one !== 429), []);
  return all.filter((one) => one === 200).length;
}

async function status(ask: Ask, path: string, client: string): Promise<number> {
  return (await seen(ask, path, { headers: { "x-client": client } }))[0] as number;
}

/** Sends a request as a client behind a trusted proxy. */
export async function through(ask: Ask, path: string, address: string): Promise<unknown> {
  return (await seen(ask, path, { headers: { "x-forwarded-for": address } }))[0];
}

/** Part of an IPv6 address that no other case uses. */
export function hextet(flag: string): string {
  return Number(flag.replace(/\D+/, "")).toString(16);
}

export const limits: Chapter = chapter("The limiter", (it) => {
  it("headers report the limit, the remaining quota and the reset time", async ({ ask, flag }) => {
    const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
    const shown = await seen(ask, "/limits/two", { headers: { "x-client": flag } }, ...names);
    assertEquals(shown, [200, "admitted", "2", "1", "60", null]);
  });

  it("a refusal is 429 and says when to retry", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/limits/two", flag, 4), [200, 200, 429, 429]);
    await pass(ask, 20_500);
    const [code, body, wait] = await seen(ask, "/limits/two", { headers: { "x-client": flag } }, "retry-after");
    assertEquals([code, wait], [429, "40"]);
    assertEquals(JSON.parse(String(body)), { error: "Too many requests, please try again later." });
  });

  it("admits exactly as many as allowed when two hundred come at once", async ({ ask, flag }) => {
    assertEquals(await admitted(ask, "/limits/twenty", flag, 200), 20);
  });

  it("a new window begins when the last one has ended, and not before", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/limits/two", flag, 3), [200, 200, 429]);
    await pass(ask, 59_999);
    assertEquals(await statuses(ask, "/limits/two", flag, 1), [429]);
    await pass(ask, 1);
    assertEquals(await statuses(ask, "/limits/two", flag, 3), [200, 200, 429]);
  });

  it("keeps clients apart", async ({ ask, flag }) => {
    for (const name of ["a", "b"]) assertEquals(await statuses(ask, "/limits/later", flag + name, 2), [200, 429]);
  });

  it("the default key is the client's address", async ({ ask }) => {
    assertEquals(await text(ask, "/limits/peer"), "admitted");
    assertEquals(await json(ask, "/limits/peer"), { error: "slower" });
  });

  it("behind a trusted proxy, the key is the address the proxy names", async ({ ask, flag }) => {
    const from = (end: number) => through(ask, "/limits/behind-proxy", `198.51.${Number(flag.slice(4)) % 256}.${end}`);
    assertEquals([await from(1), await from(1), await from(2)], [200, 429, 200]);
  }, "forwarded");

  it("an IPv6 client is its /64, and a mapped IPv4 address is the IPv4 address", async ({ ask, flag }) => {
    const from = (address: string) => through(ask, "/limits/behind-proxy", address);
    const site = `2001:db8:${hextet(flag)}`;
    assertEquals([await from(`${site}:1::1`), await from(`${site}:1:ffff::2`)], [200, 429]);
    assertEquals(await from(`${site}:2::1`), 200);
    const four = `203.0.${Number(flag.slice(4)) % 256}.1`;
    assertEquals([await from(four), await from(`::ffff:${four}`)], [200, 429]);
  }, "forwarded");

  it("a refusal has the configured message and status", async ({ ask, flag }) => {
    const init = { headers: { "x-client": flag } };
    assertEquals(await seen(ask, "/limits/text", init), [503, "not now"]);
    assertEquals(await seen(ask, "/limits/object", init), [429, '{"error":"slower"}']);
  });

  it("limit 0 refuses every request", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/limits/none", flag, 2), [429, 429]);
  });

  it("with headers off, none are sent", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/limits/silent", flag, 1), [200]);
    const names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
    const shown = await seen(ask, "/limits/silent", { headers: { "x-client": flag } }, ...names);
    assertEquals([shown[0], ...shown.slice(2)], [429, null, null, null, null]);
  });

  it("skipped requests are not counted", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/limits/skipping?free", flag, 3), [200, 200, 200]);
    assertEquals(await statuses(ask, "/limits/skipping", flag, 2), [200, 429]);
    assertEquals(await statuses(ask, "/limits/skipping?free", flag, 1), [200]);
  });

  it("a request without a key is an error, and does not share a counter", async ({ ask }) => {
    const [code, page] = await seen(ask, "/limits/two");
    assertEquals(code, 500);
    assertStringIncludes(String(page), "keyGenerator must return a non-empty string");
  });

  it("onLimitReached is called for every refusal", async ({ ask, flag }) => {
    await statuses(ask, "/limits/told", flag, 4);
    assertEquals(await json(ask, `/limits/told/${flag}`), 3);
  });

  it("one client or all clients can be reset", async ({ ask, flag }) => {
    const [one, other] = [`${flag}-one`, `${flag}-other`];
    const count = () => Promise.all([one, other].map((client) => statuses(ask, "/limits/controlled", client, 2)));
    assertEquals(await count(), [[200, 200], [200, 200]]);
    assertEquals(await json(ask, "/limits/controlled/size"), 2);
    await text(ask, `/limits/controlled/${one}`, { method: "DELETE" });
    assertEquals(await count(), [[200, 200], [429, 429]]);
    await text(ask, "/limits/controlled", { method: "DELETE" });
    assertEquals(await json(ask, "/limits/controlled/size"), 0);
    assertEquals(await count(), [[200, 200], [200, 200]]);
  });

  it("on a router, it counts every path the router is mounted on, and no other", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/limits/first/answer", flag, 1), [200]);
    assertEquals(await statuses(ask, "/limits/second/missing", flag, 1), [404]);
    assertEquals(await statuses(ask, "/limits/second/answer", flag, 1), [429]);
    assertEquals(await statuses(ask, "/limits/first-of-all", flag, 1), [200]);
  });

  it("one that is made inside a handler counts across requests", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/limits/made-inside", flag, 3), [200, 200, 429]);
  });

  it("a WebSocket is refused with 429 before the upgrade", async ({ origin, flag }) => {
    const headers = { "x-client": flag };
    using accepted = await RawSocket.open(origin, "/limits/socket", headers);
    using refused = await RawSocket.open(origin, "/limits/socket", headers);
    assertEquals([accepted.status, refused.status, refused.header("retry-after")], [101, 429, ["60"]]);
  }, "websocket");
});

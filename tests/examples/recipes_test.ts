/**
 * The programs in `docs/recipes.md` and the guides to authentication and language models: each equals the code on its
 * page, and does what the page says. `recipes/` and `models/` run on every runtime.
 */
import { createRemoteJWKSet, exportJWK, generateKeyPair, SignJWT } from "jose";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { authenticated, makeApp as makeNotes } from "../../examples/recipes/authentication.ts";
import { makeApp as makeReports, responseCache } from "../../examples/recipes/caching.ts";
import { proxy } from "../../examples/recipes/proxy.ts";
import { quietApp, serving } from "../support/app.ts";

const RECIPES = new URL("../../examples/recipes/", import.meta.url);

Deno.test("a page prints every recipe as it is", async () => {
  const pages = await Promise.all(
    ["recipes.md", "guide/authentication.md", "guide/mcp-server.md", "guide/model-streams.md"].map((path) =>
      Deno.readTextFile(new URL(`../../docs/${path}`, import.meta.url))
    ),
  );
  const printed = new Set([...pages.join("\n").matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code));
  let count = 0;
  for await (const { name } of Deno.readDir(RECIPES)) {
    const text = await Deno.readTextFile(new URL(name, RECIPES));
    assert(printed.has(text), `no page prints ${name} as it is`);
    count++;
  }
  assertEquals(printed.size, count);
});

const ISSUER = "https://login.test/";
const AUDIENCE = "https://notes.test/";

/** A provider that serves its keys, and an application that trusts it. */
async function withProvider(
  test: (notes: FrameworkApp, sign: (claims?: object, options?: Signing) => Promise<string>) => Promise<void>,
): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const stranger = await generateKeyPair("ES256");
  const jwk = { ...await exportJWK(publicKey), kid: "1", alg: "ES256" };
  const provider = quietApp().get("/keys", (_req, res) => res.json({ keys: [jwk] }));
  await serving(provider, async (origin) => {
    const keys = createRemoteJWKSet(new URL("/keys", origin));
    const notes = makeNotes({ keys, issuer: ISSUER, audience: AUDIENCE }).set("env", "test");
    await test(notes, (claims = {}, { kid = "1", expires = "1m", forged = false } = {}) => {
      const all = { iss: ISSUER, aud: AUDIENCE, sub: "ann", scope: "notes:read notes:write", ...claims };
      const token = new SignJWT(all).setProtectedHeader({ alg: "ES256", kid });
      if (expires !== null) token.setExpirationTime(expires);
      return token.sign(forged ? stranger.privateKey : privateKey);
    });
  });
}

interface Signing {
  kid?: string;
  expires?: string | null;
  forged?: boolean;
}

Deno.test("authentication: a valid token passes, and what it claims is there", async () => {
  await withProvider(async (notes, sign) => {
    const response = await notes.inject("/notes", { headers: { authorization: `Bearer ${await sign()}` } });
    assertEquals([response.status, await response.json()], [200, { owner: "ann" }]);
    assertEquals(await (await notes.inject("/")).text(), "Open to all");
  });
});

Deno.test("authentication: every other token is refused, with the challenge of RFC 6750", async () => {
  await withProvider(async (notes, sign) => {
    const valid = await sign();
    const [head, body, signature] = valid.split(".");
    const none = btoa(JSON.stringify({ alg: "none" })).replaceAll("=", "");
    const invalid: Record<string, string> = {
      "it has expired": await sign({}, { expires: "-1m" }),
      "it never expires": await sign({}, { expires: null }),
      "it is for somebody else": await sign({ aud: "https://other.test/" }),
      "somebody else issued it": await sign({ iss: "https://evil.test/" }),
      "somebody else signed it": await sign({}, { forged: true }),
      "its key is unknown": await sign({}, { kid: "2" }),
      "it has no subject": await sign({ sub: undefined }),
      "it was changed": `${head}.${body!.slice(0, -2)}xx.${signature}`,
      "it is not signed": `${none}.${body}.`,
      "it is no token": "abc",
    };
    for (const [why, token] of Object.entries(invalid)) {
      const { status, headers } = await notes.inject("/notes", { headers: { authorization: `Bearer ${token}` } });
      assertEquals([status, headers.get("www-authenticate")], [401, 'Bearer error="invalid_token"'], why);
    }
    for (const authorization of [undefined, "Basic YTpi", "Bearer", `Bearer ${valid} ${valid}`]) {
      const { status, headers } = await notes.inject("/notes", { headers: authorization ? { authorization } : {} });
      assertEquals([status, headers.get("www-authenticate")], [401, "Bearer"], authorization);
    }
    const { status, headers } = await notes.inject("/notes", {
      headers: { authorization: `Bearer ${await sign({ scope: "notes:write" })}` },
    });
    assertEquals([status, headers.get("www-authenticate")], [
      403,
      'Bearer error="insufficient_scope", scope="notes:read"',
    ]);
  });
});

Deno.test("authentication: a provider that cannot be reached is not the token's fault", async () => {
  await withProvider(async (_notes, sign) => {
    const broken = quietApp().get("/keys", (_req, res) => res.sendStatus(500));
    await serving(broken, async (origin) => {
      for (const url of [`${origin}/keys`, "http://127.0.0.1:1/keys"]) {
        const keys = createRemoteJWKSet(new URL(url));
        const app = quietApp().use(authenticated({ keys, issuer: ISSUER, audience: AUDIENCE }));
        assertEquals(
          (await app.inject("/", { headers: { authorization: `Bearer ${await sign()}` } })).status,
          503,
          url,
        );
      }
    });
  });
});

Deno.test("proxy: a path cannot choose the server, and only a trusted proxy's addresses are passed on", async () => {
  const behind = quietApp().use((req, res) => res.json([req.url, req.get("x-forwarded-for"), req.get("host")]));
  await serving(behind, async (origin) => {
    const app = quietApp().use(proxy(origin));
    const ask = async (path: string, trusts: boolean) => {
      const request = new Request(`http://localhost${path}`, { headers: { "x-forwarded-for": "192.0.2.1" } });
      const info = { remoteAddr: { hostname: "10.0.0.1", port: 1, transport: "tcp" } };
      return await (await app.set("trust proxy", trusts).fetch(request, info)).json();
    };
    const host = new URL(origin).host;
    assertEquals(await ask("//127.0.0.1:1/x", false), ["//127.0.0.1:1/x", "10.0.0.1", host]);
    assertEquals(await ask("/@evil.test/", true), ["/@evil.test/", "192.0.2.1, 10.0.0.1", host]);
  });
});

/** An application's response at a path, with the report's id and age. */
async function report(app: FrameworkApp, headers: Record<string, string> = {}, path = "/report/a"): Promise<unknown[]> {
  const response = await app.inject(path, { headers });
  return [(await response.json()).made, response.headers.get("age")];
}

Deno.test("caching: a response is made once while it is fresh", async () => {
  let now = 1_000_000;
  const app = makeReports({ clock: () => now });
  assertEquals(await report(app), [1, null]);
  now += 59_999;
  assertEquals(await report(app), [1, "59"]);
  const head = await app.inject("/report/a", { method: "HEAD" });
  assertEquals([head.headers.get("age"), await head.text()], ["59", ""]);
  assertEquals(await report(app, {}, "/report/a?b"), [2, null]);
  now += 1;
  assertEquals(await report(app), [3, null]);
});

Deno.test("caching: it depends on what Vary names, and on what the client wants", async () => {
  const app = makeReports();
  assertEquals(await report(app, { "accept-language": "de" }), [1, null]);
  assertEquals(await report(app, { "accept-language": "en" }), [2, null]);
  assertEquals(await report(app, { "accept-language": "en" }), [2, "0"]);
  assertEquals(await report(app, { "accept-language": "en", "cache-control": "no-cache" }), [3, null]);
  assertEquals(await report(app, { "accept-language": "en" }), [3, "0"]);
  assertEquals((await app.inject("/report/z", { headers: { "cache-control": "only-if-cached" } })).status, 504);
});

Deno.test("caching: what is not meant for everybody is never kept, and of too many the one used longest ago goes", async () => {
  let [made, cases] = [0, 0];
  const cached = responseCache();
  const app = sluice().set("query parser", "extended");
  app.get(
    "/private",
    cached(({ query }) =>
      Response.json({ made: ++made }, {
        status: Number(query["status"] ?? 200),
        headers: query["h"] as unknown as Headers,
      })
    ),
  );
  const kept = { "cache-control": "max-age=60" };
  const once = async (headers: Record<string, string>, sent: Record<string, string> = {}, status = 200) => {
    const query = Object.entries(headers).map(([name, value]) => `h[${name}]=${encodeURIComponent(value)}`).join("&");
    const path = `/private?case=${++cases}&status=${status}&${query}`;
    const [[first], [second]] = [await report(app, sent, path), await report(app, sent, path)];
    return first === second;
  };
  assertEquals(await once(kept), true);
  assertEquals(await once({ "cache-control": "s-maxage=60, max-age=0" }, { authorization: "x" }), true);
  const never = ["private, max-age=60", "no-store, max-age=60", "no-cache, max-age=60", "max-age=0", "max-age=x", ""];
  for (const value of never) assertEquals(await once({ "cache-control": value }), false, value);
  assertEquals(await once({ ...kept, "set-cookie": "a=1" }), false);
  assertEquals(await once({ ...kept, vary: "*" }), false);
  assertEquals(await once(kept, { authorization: "x" }), false);
  assertEquals(await once(kept, {}, 404), false);
  const reports = makeReports({ maxEntries: 2 });
  for (const name of ["a", "b", "a", "c"]) await report(reports, {}, `/report/${name}`);
  assertEquals([(await report(reports, {}, "/report/a"))[0], (await report(reports, {}, "/report/b"))[0]], [1, 4]);
});

Deno.test("every recipe says what it is", async () => {
  for await (const { name } of Deno.readDir(RECIPES)) {
    assertStringIncludes((await Deno.readTextFile(new URL(name, RECIPES))).slice(0, 4), "/** ");
  }
});

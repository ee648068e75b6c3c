import sluice, { type FrameworkApp } from "@sluice/sluice";
import { csrf, type CsrfOptions } from "@sluice/middleware/csrf";
import { session } from "@sluice/middleware/session";
import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { CookieClient } from "./support/cookie_client.ts";
import { SECRETS } from "./support/session_app.ts";

const [SECRET, OLD_SECRET] = SECRETS;

function protectedApp(options?: CsrfOptions, proxies = 0): FrameworkApp {
  const app = sluice().set("env", "test").set("trust proxy", proxies);
  app.use(sluice.urlencoded(), sluice.json());
  if (options?.token === "session") app.use(session({ secret: SECRET }));
  app.use(csrf(options));
  app.get("/token", (req, res) => res.send((req as unknown as { csrfToken(): string }).csrfToken()));
  app.all("/", (_req, res) => res.send("done"));
  return app;
}

type Headers = Record<string, string>;

async function statusOf(app: FrameworkApp, url: string, headers: Headers, method = "POST"): Promise<number> {
  const response = await app.inject(url, { method, headers });
  await response.text();
  return response.status;
}

const HTTP = "http://example.com/";
const HTTPS = "https://example.com/";

/** Each request's URL, headers and expected status. The rules are those in Go's `http.CrossOriginProtection`. */
const TABLE: [string, Headers, number][] = [
  // browsers that send Sec-Fetch-Site
  [HTTPS, { "sec-fetch-site": "same-origin" }, 200],
  [HTTPS, { "sec-fetch-site": "none" }, 200],
  [HTTPS, { "sec-fetch-site": "same-site" }, 403],
  [HTTPS, { "sec-fetch-site": "cross-site" }, 403],
  [HTTPS, { "sec-fetch-site": "something new" }, 403],
  [HTTPS, { "sec-fetch-site": "same-origin", origin: "https://evil.example" }, 200],
  [HTTPS, { "sec-fetch-site": "cross-site", origin: "https://example.com" }, 403],
  [HTTPS, { "sec-fetch-site": "same-site", origin: "https://admin.example.com" }, 403],
  [HTTPS, { "sec-fetch-site": "cross-site", origin: "null" }, 403],
  // browsers that do not send it, or not to origins without TLS
  [HTTPS, { origin: "https://example.com" }, 200],
  [HTTP, { origin: "http://example.com" }, 200],
  ["http://example.com:8080/", { origin: "http://example.com:8080" }, 200],
  ["http://example.com:8080/", { origin: "http://example.com" }, 403],
  [HTTPS, { origin: "https://example.com:443" }, 200],
  [HTTPS, { origin: "https://example.com:8443" }, 403],
  [HTTPS, { origin: "https://evil.example" }, 403],
  [HTTPS, { origin: "https://admin.example.com" }, 403],
  [HTTPS, { origin: "https://example.com.evil.example" }, 403],
  [HTTPS, { origin: "https://evil.example?https://example.com" }, 403],
  [HTTPS, { origin: "null" }, 403],
  [HTTPS, { origin: "no origin" }, 403],
  // anyone may have written a page that came without TLS; in the other direction, a proxy terminated the TLS
  [HTTPS, { origin: "http://example.com" }, 403],
  [HTTP, { origin: "https://example.com" }, 200],
  // not a browser, or one from before 2020
  [HTTPS, {}, 200],
  [HTTPS, { cookie: "session=1", authorization: "Basic eDp5" }, 200],
];

Deno.test("unsafe requests pass or are refused by Sec-Fetch-Site and Origin, as with Go's protection", async () => {
  const app = protectedApp();
  for (const [url, headers, status] of TABLE) {
    const shown = JSON.stringify([url, headers]);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      assertEquals(await statusOf(app, url, headers, method), status, `${method} ${shown}`);
    }
    assertEquals(await statusOf(app, url, headers, "GET"), 200, shown);
    assertEquals(await statusOf(app, url, headers, "HEAD"), 200, shown);
    assertEquals(await statusOf(app, url, headers, "OPTIONS"), 200, shown);
  }
});

Deno.test("origins that are trusted may make requests, exactly as they are written", async () => {
  const app = protectedApp({ origins: ["https://admin.example.com", "http://localhost:5173"] });
  const cases: [Headers, number][] = [
    [{ "sec-fetch-site": "same-site", origin: "https://admin.example.com" }, 200],
    [{ "sec-fetch-site": "cross-site", origin: "http://localhost:5173" }, 200],
    [{ origin: "https://admin.example.com" }, 200],
    [{ origin: "http://admin.example.com" }, 403],
    [{ origin: "http://localhost" }, 403],
    [{ "sec-fetch-site": "same-site", origin: "https://other.example.com" }, 403],
    [{ "sec-fetch-site": "same-site" }, 403],
  ];
  for (const [headers, status] of cases) {
    assertEquals(await statusOf(app, HTTPS, headers), status, JSON.stringify(headers));
  }
});

Deno.test("behind a trusted proxy the origin is compared with what the client asked for", async () => {
  const forwarded = { "x-forwarded-host": "example.com", "x-forwarded-proto": "https" };
  const inside = "http://app.internal:3000/";
  const origin = "https://example.com";
  assertEquals(await statusOf(protectedApp({}, 1), inside, { ...forwarded, origin }), 200);
  assertEquals(await statusOf(protectedApp({}, 1), inside, { ...forwarded, origin: "http://example.com" }), 403);
  assertEquals(await statusOf(protectedApp({}, 1), inside, { ...forwarded, origin: "http://app.internal:3000" }), 403);
  assertEquals(await statusOf(protectedApp({}, 0), inside, { ...forwarded, origin }), 403);
});

Deno.test("a refusal is a 403 that says what is wrong, and code that handles csurf's knows it", async () => {
  const errors: { status: number; code: string; message: string }[] = [];
  const app = protectedApp();
  app.use((error: never, _req: unknown, res: { sendStatus(status: number): void }, _next: unknown) => {
    errors.push(error);
    res.sendStatus(418);
  });
  const all: Headers[] = [
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
  ];
  for (const headers of all) assertEquals(await statusOf(app, HTTPS, headers), 418);
  assertEquals(errors.map(({ status, code }) => [status, code]), all.map(() => [403, "EBADCSRFTOKEN"]));
  assertMatch(
    errors[0]!.message,
    /^csrf: a page of "https:\/\/evil.example" made the request \(Sec-Fetch-Site: cross-site\)/,
  );
  assertMatch(
    errors[1]!.message,
    /^csrf: a page of another origin made the request \(Sec-Fetch-Site: same-site\); .*option origins/,
  );
  assertMatch(
    errors[2]!.message,
    /made the request to "https:\/\/example.com"; if that is a proxy's name.*set trust proxy/,
  );
});

Deno.test("the error page escapes what a stranger sent", async () => {
  const response = await protectedApp().inject(HTTPS, { method: "POST", headers: { origin: "https://<script>" } });
  assertEquals(response.status, 403);
  assert(!(await response.text()).includes("<script>"));
});

for (const [how, token] of [["session", "session"], ["cookie", { secret: SECRET }]] as const) {
  const form = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields) });

  Deno.test(`with tokens of a ${how}, what says nothing of its origin needs one`, async () => {
    const client = new CookieClient(protectedApp({ token }));
    const first = await client.text("/token");
    const again = await client.text("/token");
    assertMatch(first, /^[\w-]{43}$/);
    assertNotEquals(first, again, "each is masked anew");
    for (const one of [first, again]) {
      assertEquals((await client.ask("/", form({ _csrf: one }))).status, 200);
      assertEquals((await client.ask("/", { method: "POST", headers: { "x-csrf-token": one } })).status, 200);
    }
    const json = { method: "DELETE", body: JSON.stringify({ _csrf: first }) };
    assertEquals((await client.ask("/", { ...json, headers: { "content-type": "application/json" } })).status, 200);
    const refused = await client.ask("/", form({}));
    assertEquals(refused.status, 403);
    assertMatch(await refused.text(), /csrf: the request has no token: send the one from req.csrfToken\(\)/);
  });

  Deno.test(`with tokens of a ${how}, every other one is refused`, async () => {
    const app = protectedApp({ token });
    const client = new CookieClient(app);
    const own = await client.text("/token");
    const other = await new CookieClient(app).text("/token");
    const forged = [other, "", "x", own.slice(1), own + "A", own.replaceAll(/./g, "A"), "ä".repeat(43)];
    for (let i = 0; i < own.length; i++) forged.push(own.slice(0, i) + (own[i] === "A" ? "B" : "A") + own.slice(i + 1));
    for (const one of forged) {
      const response = await client.ask("/", form({ _csrf: one }));
      assertEquals(response.status, 403, one);
      assertMatch(await response.text(), /csrf: the token does not belong to this client/);
    }
    const list = await client.ask("/", { method: "POST", body: new URLSearchParams([["_csrf", own], ["_csrf", own]]) });
    assertEquals(list.status, 403);
  });

  Deno.test(`with tokens of a ${how}, what brings no credentials of a browser needs none`, async () => {
    const app = protectedApp({ token });
    assertEquals(await statusOf(app, HTTPS, {}), 200);
    assertEquals(await statusOf(app, HTTPS, { authorization: "Bearer abc" }), 200);
    assertEquals(await statusOf(app, HTTPS, { authorization: "Basic eDp5" }), 403);
    assertEquals(await statusOf(app, HTTPS, { cookie: "a=1" }), 403);
  });

  Deno.test(`with tokens of a ${how}, the headers decide where there are any`, async () => {
    const client = new CookieClient(protectedApp({ token }), "https://example.com");
    const own = await client.text("/token");
    const ask = async (headers: Headers) => (await client.ask("/", { method: "POST", headers })).status;
    assertEquals(await ask({ "sec-fetch-site": "same-origin" }), 200);
    assertEquals(await ask({ "sec-fetch-site": "cross-site", "x-csrf-token": own }), 403);
    assertEquals(await ask({ origin: "https://evil.example", "x-csrf-token": own }), 403);
  });
}

Deno.test("the cookie of tokens is sent once, is hidden from scripts, and secure over TLS", async () => {
  const client = new CookieClient(protectedApp({ token: { secret: SECRET } }), "https://example.com");
  await client.text("/token");
  assertMatch(client.setCookies[0]!, /^__Host-csrf=[\w-]{22}\.[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  await client.text("/token");
  assertEquals(client.setCookies, []);
  const insecure = new CookieClient(protectedApp({ token: { secret: SECRET } }));
  assertEquals((await insecure.ask("/token")).headers.get("vary"), "Cookie");
  assertMatch(insecure.setCookies[0]!, /^csrf=/);
});

Deno.test("two tokens for one response are of one secret", async () => {
  const app = protectedApp({ token: { secret: SECRET } });
  app.get("/two", (req, res) => {
    const { csrfToken } = req as unknown as { csrfToken(): string };
    res.json([csrfToken(), csrfToken()]);
  });
  const client = new CookieClient(app);
  const tokens = await client.json("/two") as string[];
  assertEquals(client.setCookies.length, 1);
  for (const one of tokens) {
    assertEquals((await client.ask("/", { method: "POST", headers: { "x-csrf-token": one } })).status, 200);
  }
});

Deno.test("a cookie that nobody has signed, or for another name, makes no tokens", async () => {
  const options = { token: { secret: SECRET } };
  const client = new CookieClient(protectedApp(options));
  const token = await client.text("/token");
  const [secret, signature] = client.cookies.get("csrf")!.split(".") as [string, string];
  const forged = [secret, `${secret}.`, `.${signature}`, `${secret}.${signature}.`, `${secret}.${signature.slice(1)}A`];
  const post = { method: "POST", headers: { "x-csrf-token": token } };
  assertEquals((await client.ask("/", post)).status, 200);
  for (const value of forged) {
    const other = new CookieClient(protectedApp(options), undefined, [["csrf", value]]);
    assertEquals((await other.ask("/", post)).status, 403, value);
  }
  const renamed = new CookieClient(protectedApp({ token: { secret: SECRET, name: "other" } }), undefined, [
    ["other", `${secret}.${signature}`],
  ]);
  assertEquals((await renamed.ask("/", post)).status, 403);
});

Deno.test("a secret can be replaced: old cookies go on, and are signed anew", async () => {
  const old = new CookieClient(protectedApp({ token: { secret: OLD_SECRET } }));
  const token = await old.text("/token");
  const post = { method: "POST", headers: { "x-csrf-token": token } };
  const both = new CookieClient(protectedApp({ token: { secret: [SECRET, OLD_SECRET] } }), undefined, old.cookies);
  assertEquals((await both.ask("/", post)).status, 200);
  await both.text("/token");
  assertEquals(both.setCookies.length, 1);
  const renewed = new CookieClient(protectedApp({ token: { secret: SECRET } }), undefined, both.cookies);
  assertEquals((await renewed.ask("/", post)).status, 200);
});

Deno.test("tokens of a session end with it", async () => {
  const app = protectedApp({ token: "session" });
  app.get("/login", async (req, res) => {
    await req.session.regenerate();
    req.session.user = "ada";
    res.end();
  });
  const client = new CookieClient(app);
  const before = await client.text("/token");
  await client.text("/login");
  assertEquals((await client.ask("/", { method: "POST", headers: { "x-csrf-token": before } })).status, 403);
  const after = await client.text("/token");
  assertEquals((await client.ask("/", { method: "POST", headers: { "x-csrf-token": after } })).status, 200);
});

Deno.test("tokens of a session need one", async () => {
  const app = sluice().set("env", "test").use(csrf({ token: "session" }));
  app.get("/token", (req, res) => res.send((req as unknown as { csrfToken(): string }).csrfToken()));
  const response = await app.inject("/token");
  assertEquals(response.status, 500);
  assertMatch(
    await response.text(),
    /csrf: with option token &quot;session&quot;, session\(\) must be registered before csrf\(\)/,
  );
});

Deno.test("it protects a route, or what is below a path, alone", async () => {
  const app = sluice();
  app.post("/one", csrf(), (_req, res) => res.send("done"));
  app.use("/below", csrf());
  app.post(["/below/two", "/three"], (_req, res) => res.send("done"));
  const statuses = ["/one", "/below/two", "/three"].map((path) => {
    return statusOf(app, `https://example.com${path}`, { "sec-fetch-site": "cross-site" });
  });
  assertEquals(await Promise.all(statuses), [403, 403, 200]);
});

Deno.test("options that cannot be meant are refused, by name", () => {
  const cases: [unknown, RegExp][] = [
    [null, /csrf: options must be an object, not null/],
    [{ origin: [] }, /csrf: there is no option origin; use origins, a list/],
    [{ origins: "https://example.com" }, /option origins must be a list/],
    [
      { origins: ["https://example.com/"] },
      /origins has "https:\/\/example.com\/"; .*as browsers send it, "https:\/\/example.com"/,
    ],
    [{ origins: ["https://EXAMPLE.com:443"] }, /as browsers send it, "https:\/\/example.com"/],
    [{ origins: ["example.com"] }, /such as "https:\/\/example.com"/],
    [{ origins: ["null"] }, /such as "https:\/\/example.com"/],
    [{ origins: [7] }, /origins has 7/],
    [{ token: true }, /option token must be "session" or \{ secret \}, not true/],
    [{ token: {} }, /option token.secret must be a string, not undefined/],
    [{ token: { secret: "short and secret" } }, /option token.secret has 16 characters; 32 or more/],
    [
      { token: { secret: SECRET, path: "/" } },
      /csrf: option token: there is no option path; there are secret, name, cookie/,
    ],
    [{ token: { secret: SECRET, cookie: { maxAge: 1 } } }, /csrf: option cookie: there is no option maxAge/],
  ];
  for (const [options, message] of cases) {
    const error = assertThrows(() => csrf(options as CsrfOptions)) as Error;
    assert(error instanceof TypeError || error instanceof RangeError);
    assertMatch(error.message, message);
    assert(!error.message.includes("short and secret"));
  }
});

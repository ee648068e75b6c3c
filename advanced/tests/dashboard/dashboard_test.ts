/**
 * The dashboard in Sluice, in Express and as a Fetch handler: which clients get access, and what other clients cannot
 * do.
 */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Limiter, MemoryStore, rateLimit } from "@sluice/rate-limit";
import { dashboard, fetchDashboard } from "@sluice/rate-limit/dashboard";
import { FaultyStore, VirtualClock } from "@sluice/rate-limit/testing";
import sluice, { type Request as SluiceRequest } from "@sluice/sluice";
import { type Any, serveBoth } from "../../../tests/support/sluice_and_express.ts";

const OWN = { "sec-fetch-site": "same-origin" };

function resetOf(limiter: string, key: string, headers: Record<string, string> = OWN): RequestInit {
  return { method: "POST", headers: { "sluice-reset": JSON.stringify({ limiter, key }), ...headers } };
}

/** Serves one limiter's dashboard as a Fetch handler. */
function served(limiter: Limiter, authorize: () => boolean | Promise<boolean> = () => true) {
  const page = fetchDashboard({ limiters: { api: limiter }, authorize });
  return (path = "/", init?: RequestInit) => page(new Request(`http://localhost${path}`, init));
}

async function refuse(limiter: Limiter, ...keys: string[]): Promise<void> {
  for (const key of keys) await limiter.consume(key, { limit: 0 });
}

Deno.test("the dashboard of Sluice and of Express shows who is limited, and resets keys", async () => {
  const build = (app: Any) => {
    const api = rateLimit({ name: "per-user", limit: 1, keyGenerator: (req) => req.headers.user });
    app.use("/limits", dashboard({ limiters: { api }, authorize: (req) => req.headers.admin === "yes" }));
    app.use("/api", api, (_req: Any, res: Any) => res.send("served"));
  };
  const [ours, theirs] = await serveBoth(build, async (origin) => {
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${origin}${path}`, { ...init, headers: { admin: "yes", ...init.headers } });
      return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
    };
    const top = async () => {
      const [{ top }] = JSON.parse((await ask("/limits?data")).text).limiters;
      return top.map(({ policy, key, refusals }: Any) => [policy, key, refusals]);
    };
    const seen: unknown[] = [await top()];
    for (let i = 0; i < 3; i++) seen.push((await ask("/api", { headers: { user: "ada" } })).status);
    const page = await ask("/limits");
    assertMatch(page.text, /^<!doctype html>/);
    const head = await ask("/limits/", { method: "HEAD" });
    seen.push([page.status, page.type, head.status, head.type, head.text], await top());
    seen.push(await ask("/limits", resetOf("api", "ada")), await top());
    seen.push((await ask("/api", { headers: { user: "ada" } })).status);
    for (const path of ["/limits", "/limits?data", "/limits/other"]) {
      seen.push((await ask(path, { headers: { admin: "no" } })).status);
    }
    seen.push((await ask("/limits", resetOf("api", "ada", { ...OWN, admin: "no" }))).status);
    seen.push((await ask("/limits", { method: "DELETE" })).status);
    return seen;
  });
  const html = "text/html; charset=utf-8";
  assertEquals(ours, [
    [],
    ...[200, 429, 429],
    [200, html, 200, html, ""],
    [["per-user", "ada", 2]],
    { status: 200, type: "application/json", text: '{"count":1}' },
    [],
    200,
    ...[403, 403, 404, 403, 405],
  ]);
  assertEquals(theirs, ours);
});

Deno.test("the dashboard works as a handler of a route, and goes on with the errors of authorize", async () => {
  const app = sluice().set("env", "test");
  const limiters = { api: new Limiter() };
  app.all("/limits", dashboard({ limiters, authorize: () => true }));
  app.use("/broken", dashboard({ limiters, authorize: () => Promise.reject(new Error("no session")) }));
  // deno-lint-ignore no-throw-literal -- "route" would be a direction
  app.use(
    "/thrown",
    dashboard({
      limiters,
      authorize: () => {
        throw "route";
      },
    }),
  );
  app.use((error: Error, _req: unknown, res: Any, _next: unknown) => res.status(500).send(error.message));
  const ask = async (path: string) => {
    const response = await app.inject(path);
    return [response.status, (await response.text()).slice(0, 60)];
  };
  assertEquals((await ask("/limits"))[0], 200);
  assertEquals(await ask("/broken"), [500, "no session"]);
  assertEquals(await ask("/thrown"), [500, "dashboard: authorize or a store threw route"]);
});

Deno.test("authorize may respond itself", async () => {
  const app = sluice().set("env", "test");
  const authorize = (req: SluiceRequest) => {
    req.res!.redirect("/login");
    return false;
  };
  app.use("/limits", dashboard({ limiters: { api: new Limiter() }, authorize }));
  const response = await app.inject("/limits?data", { redirect: "manual" });
  assertEquals([response.status, response.headers.get("location")], [302, "/login"]);
});

Deno.test("nobody gets a dashboard that nobody guards", () => {
  const api = new Limiter();
  const limiters = { api };
  for (const [make, name] of [[dashboard, "dashboard"], [fetchDashboard, "fetchDashboard"]] as const) {
    const made = (options: unknown) => () => make(options as Any);
    const secret = "s".repeat(32);
    for (const neither of [{}, { secret: undefined }, { secret, authorize: () => true }]) {
      assertThrows(
        made({ limiters, ...neither }),
        TypeError,
        `${name}: give either option secret, or option authorize`,
      );
    }
    for (const authorize of [true, "admin", null, {}]) {
      assertThrows(made({ limiters, authorize }), TypeError, `${name}: option authorize must be a function`);
    }
    for (const wrong of [1, null, [secret]]) {
      assertThrows(made({ limiters, secret: wrong }), TypeError, `${name}: option secret must be a string`);
    }
    assertThrows(made({ limiters, secret: secret.slice(1) }), RangeError, `${name}: option secret has 31 characters`);
    for (const hosts of ["localhost", ["a:80"], ["http://a"], ["a/b"], [""], [1], ["u@a"]]) {
      assertThrows(made({ limiters, secret, hosts }), TypeError, `${name}: option hosts must be a list of host names`);
    }
    const authorize = () => true;
    for (const wrong of [undefined, null, [], {}, [api]]) {
      assertThrows(made({ limiters: wrong, authorize }), TypeError, `${name}: option limiters must be an object`);
    }
    assertThrows(
      made({ limiters: { api: {} }, authorize }),
      TypeError,
      `${name}: option limiters.api must be a Limiter`,
    );
    assertThrows(made({ limiters: { api: null }, authorize }), TypeError, "limiters.api");
    assertThrows(made({ limiters, authorize, authorise: authorize }), TypeError, "authorise");
  }
});

Deno.test("authorize decides about every request, and nothing but true lets one through", async () => {
  const requests: [string, RequestInit?][] = [["/"], ["/?data"], ["/", { method: "HEAD" }], ["/", resetOf("api", "a")]];
  for (const value of [false, undefined, null, 0, 1, "yes", {}, Promise.resolve(false), Promise.resolve("yes")]) {
    const limiter = new Limiter();
    const ask = served(limiter, () => value as boolean);
    limiter.top();
    await refuse(limiter, "a");
    for (const [path, init] of requests) {
      const response = await ask(path, init);
      assertEquals([response.status, response.headers.get("cache-control")], [403, "no-store"]);
      assertMatch(await response.text(), /^(?:Not allowed\.)?$/);
    }
    assertEquals(limiter.top().length, 1);
  }
  let asked = 0;
  const ask = served(new Limiter(), () => ++asked <= 1);
  const statuses: number[] = [];
  for (let i = 0; i < 2; i++) statuses.push((await ask("/?data")).status);
  assertEquals(statuses, [200, 403]);
});

Deno.test("whoever knows the secret sees the dashboard, with any user name", async () => {
  const secret = "grüße, of more than 32 characters: äöü";
  const page = fetchDashboard({ limiters: { api: new Limiter() }, secret });
  const ask = async (authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await page(new Request("http://localhost/?data", { headers }));
    await response.text();
    return [response.status, response.headers.get("www-authenticate")];
  };
  const basic = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  for (const user of ["", "ann", "grün"]) {
    for (const scheme of ["Basic", "basic", "BASIC"]) {
      assertEquals(await ask(`${scheme} ${basic(`${user}:${secret}`)}`), [200, null]);
    }
  }
  const challenge = 'Basic realm="Rate limits", charset="UTF-8"';
  const wrong = [`:${secret}x`, `:${secret.slice(1)}`, `:x:${secret}`, secret, "", ":", `${secret}:`].map(basic);
  for (const credentials of [...wrong, "", "=", "ä", `${basic(`:${secret}`)} x`]) {
    assertEquals(await ask(`Basic ${credentials}`), [401, challenge], credentials);
  }
  for (const header of [undefined, "", "Basic", `Bearer ${secret}`, `Bearer ${basic(`:${secret}`)}`]) {
    assertEquals(await ask(header), [401, challenge], header);
  }
});

/** The headers of a reset request, and its status. The origin is http://localhost. */
const RESETS: [Record<string, string>, number][] = [
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "same-origin", origin: "http://localhost" }, 200],
  [{ origin: "http://localhost" }, 200],
  // another site's page
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "cross-site", origin: "http://localhost" }, 403],
  [{ "sec-fetch-site": "none" }, 403],
  [{ origin: "http://localhost:81" }, 403],
  [{ origin: "https://localhost" }, 403],
  [{ origin: "http://localhost.example" }, 403],
  [{ origin: "null" }, 403],
  // not a page
  [{}, 403],
];

Deno.test("only a page of the same origin resets a key", async () => {
  for (const [headers, status] of RESETS) {
    const limiter = new Limiter({ limit: 1 });
    await limiter.consume("a");
    const response = await served(limiter)("/", resetOf("api", "a", headers));
    assertEquals(response.status, status, JSON.stringify(headers));
    assertEquals((await limiter.peek("a")).remaining, status === 200 ? 1 : 0);
  }
});

Deno.test("only a page of the same origin reads the data, also where the application allows others by CORS", async () => {
  const ask = served(new Limiter());
  for (const [headers, status] of RESETS) {
    // opened by the user, or not sent by a page
    const isOwn = status === 200 || Object.keys(headers).length === 0 || headers["sec-fetch-site"] === "none";
    const response = await ask("/?data", { headers });
    assertEquals(response.status, isOwn ? 200 : 403, JSON.stringify(headers));
    assertEquals((await response.text()).includes("limiters"), isOwn);
  }
});

/** A `Host`, other properties of the request, and whether the dashboard responds without and with `hosts`. */
const HOSTS: [host: string, { peer?: string; header?: string }, byDefault: boolean, named: boolean][] = [
  ["localhost", {}, true, true],
  ["LOCALHOST:3000", { peer: "127.0.0.1" }, true, true],
  ["app.localhost.", { peer: "::1" }, true, true],
  ["127.0.0.1:3000", { peer: "::ffff:127.0.0.1" }, true, true],
  ["127.8.8.8", { peer: "127.8.8.8" }, true, true],
  ["[::1]:3000", { peer: "::1" }, true, true],
  ["[0:0:0:0:0:0:0:1]", { peer: "::1" }, true, true],
  // DNS rebinding
  ["evil.example:3000", { peer: "127.0.0.1" }, false, false],
  ["localhost.evil.example", {}, false, false],
  ["127.0.0.1.evil.example", {}, false, false],
  ["evil.example@localhost", {}, false, false],
  ["evil.example#.localhost", {}, false, false],
  ["notlocalhost", {}, false, false],
  ["", {}, false, false],
  ["0.0.0.0:3000", { peer: "127.0.0.1" }, false, false],
  ["[::]", { peer: "::1" }, false, false],
  // from another machine, and through a proxy
  ["localhost", { peer: "203.0.113.9" }, false, false],
  ["localhost", { peer: "10.0.0.1" }, false, false],
  ...["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"].map(
    (header): typeof HOSTS[number] => ["localhost", { peer: "127.0.0.1", header }, false, false],
  ),
  // a host in the list is accepted from any address
  ["admin.example.com", { peer: "127.0.0.1", header: "x-forwarded-for" }, false, true],
  ["Admin.Example.COM.:8443", { peer: "203.0.113.9" }, false, true],
  ["admin.example.com.evil.example", {}, false, false],
  ["xn--bcher-kva.example", {}, false, true],
];

for (const kind of ["Sluice", "a web request"] as const) {
  Deno.test(`the dashboard of ${kind} is at its own hosts alone, and nobody else is asked to be authorized`, async () => {
    for (const hosts of [undefined, ["admin.example.com", "bücher.example"]]) {
      let asked = 0;
      const options = { limiters: { api: new Limiter() }, hosts, authorize: () => ++asked > 0 };
      const app = sluice().set("env", "test").set("trust proxy", true);
      app.use("/limits", dashboard(options));
      const page = fetchDashboard(options);
      for (const [host, { peer, header }, byDefault, named] of HOSTS) {
        const headers: Record<string, string> = { host, ...header === undefined ? {} : { [header]: "127.0.0.1" } };
        const request = new Request("http://localhost/limits?data", { headers });
        const info = peer === undefined ? undefined : { remoteAddr: { hostname: peer, port: 1, transport: "tcp" } };
        asked = 0;
        const response = await (kind === "Sluice" ? app.fetch(request, info as Any) : page(request, info));
        const isThere = hosts === undefined ? byDefault : named;
        const said = await response.text();
        assertEquals(
          [response.status === 200, asked],
          [isThere, isThere ? 1 : 0],
          JSON.stringify([host, peer, header]),
        );
        assertEquals(said.includes("limiters"), isThere);
      }
    }
  });
}

Deno.test("a reset that is none is refused, and a GET changes nothing", async () => {
  const limiter = new Limiter({ limit: 1 });
  await limiter.consume("a");
  const ask = served(limiter);
  const said = JSON.stringify({ limiter: "api", key: "a" });
  for (
    const wrong of [
      "",
      "x",
      "null",
      "[]",
      "{}",
      '{"limiter":"api"}',
      '{"limiter":"api","key":""}',
      `"${"a".repeat(9000)}"`,
    ]
  ) {
    assertEquals((await ask("/", { method: "POST", headers: { ...OWN, "sluice-reset": wrong } })).status, 400, wrong);
  }
  for (const name of ["other", "__proto__", "toString"]) {
    assertEquals((await ask("/", resetOf(name, "a"))).status, 404, name);
  }
  assertEquals((await ask("/", { headers: { ...OWN, "sluice-reset": said } })).status, 200);
  assertEquals((await limiter.peek("a")).remaining, 0);
});

Deno.test("an address is reset as the limiter counts it", async () => {
  const api = rateLimit({ limit: 1 });
  const app = sluice();
  app.use("/limits", dashboard({ limiters: { api }, authorize: () => true }));
  await api.limiter.consume("2001:db8::/64");
  const response = await app.inject("/limits", resetOf("api", "2001:db8::7"));
  assertEquals(await response.json(), { count: 1 });
});

Deno.test("the page allows nothing but its own script and style, and is the same whatever keys there are", async () => {
  const limiter = new Limiter();
  const ask = served(limiter);
  const response = await ask();
  const page = await response.text();
  const policy = response.headers.get("content-security-policy")!;
  const [, style, script] = page.match(/<style>([^]*)<\/style>[^]*<script>([^]*)<\/script>/)!;
  for (const [directive, text] of [["style-src", style!], ["script-src", script!]] as const) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    assert(policy.includes(`${directive} 'sha256-${btoa(String.fromCharCode(...digest))}'`), directive);
  }
  assert(!/unsafe|https?:/.test(policy));
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"]) {
    assert(policy.includes(rule), rule);
  }
  // the only address in it is the SVG namespace
  assertEquals(page.match(/https?:\/\/[^"]*/g), ["http://www.w3.org/2000/svg"]);
  assert(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/.test(page));
  await refuse(limiter, ...EVIL);
  assertEquals(await (await ask()).text(), page);
});

const EVIL = [
  "<script>alert(1)</script>",
  "</script><!--",
  '"><img src=x onerror=alert(1)>',
  "\u202etxt.exe",
  "\u2028\u2029",
  "\u0000\u001b[2J",
  "\ud800lone",
  "__proto__",
  "ünïcödé 🙂",
];

Deno.test("keys are JSON that no browser takes for anything else, and come back to be reset", async () => {
  const limiter = new Limiter({ limit: 1 });
  const ask = served(limiter);
  await refuse(limiter, ...EVIL);
  const response = await ask("/?data");
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(response.headers.get("x-content-type-options"), "nosniff");
  assertEquals(response.headers.get("cross-origin-resource-policy"), "same-origin");
  const text = await response.text();
  assert(!text.includes("<"));
  const { top } = JSON.parse(text).limiters[0];
  assertEquals(top.map(({ key }: Any) => key).sort(), EVIL.toSorted());
  for (const { shown, retryAfterMs } of top) {
    assertMatch(shown, /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u);
    // a limit of 0 never admits anything, and JSON has no Infinity
    assertEquals(retryAfterMs, null);
  }
  for (const key of EVIL) {
    const header = JSON.stringify({ limiter: "api", key })
      .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    await limiter.consume(key);
    const reset = await ask("/", { method: "POST", headers: { ...OWN, "sluice-reset": header } });
    assertEquals(await reset.json(), { count: 1 });
  }
  assertEquals(limiter.top(), []);
});

Deno.test("the data tell what the store does", async () => {
  const clock = new VirtualClock();
  const store = new FaultyStore(new MemoryStore({ clock: clock.read }));
  const limiter = new Limiter({
    name: "api",
    limit: 5,
    windowMs: 1000,
    store,
    clock: clock.read,
    timers: clock.timers,
  });
  limiter.on("storeFailure", () => {});
  const ask = served(limiter);
  const state = async () => (await (await ask("/?data")).json()).limiters[0];
  const first = await state();
  assertEquals(first.policies, [{ name: "api", algorithm: "fixed-window", limit: 5, windowMs: 1000 }]);
  assertEquals([first.name, first.breakerIsOpen, first.counters.storeFailures], ["api", false, 0]);
  store.fail();
  for (let i = 0; i < 6; i++) await limiter.consume("a");
  const { breakerIsOpen, counters, top } = await state();
  assertEquals([breakerIsOpen, counters.breakerOpened, counters.storeFailures], [true, 1, 5]);
  assertEquals(top.map(({ key }: Any) => key), ["a"]);
});

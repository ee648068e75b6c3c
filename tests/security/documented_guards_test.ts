/**
 * Attacks every documented guard: DNS rebinding, a proxy on the same machine, other spellings of its path, other
 * methods, missing or empty headers. A documented guard that is not in `ATTACKS` is a failure.
 */
import { generateKeyPair, SignJWT } from "jose";
import { DatabaseSync } from "node:sqlite";
import type { FrameworkApp } from "@sluice/sluice";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createApp } from "../../examples/tutorial/step-6/app.ts";
import { Users } from "../../examples/tutorial/step-6/users.ts";
import { memoryAdapter } from "better-auth/adapters/memory";
import { makeApp as makeAccounts } from "../../examples/recipes/accounts.ts";
import { makeApp as makeCors } from "../../examples/recipes/cors.ts";
import { makeApp as makeNotes } from "../../examples/recipes/authentication.ts";
import { makeApp as makeMcp } from "../../examples/recipes/mcp.ts";
import mcpWorker from "../../examples/recipes/mcp_worker.ts";
import { makeApp as makeTokens, newKey } from "../../examples/recipes/tokens.ts";
import { responseCache } from "../../examples/recipes/caching.ts";
import { quietApp } from "../support/app.ts";
import {
  ADDED,
  assertGuarded,
  assertGuardedApp,
  type Guarded,
  LOCAL,
  sent,
  spellings,
  stranger,
} from "./support/attacks.ts";
import { defined, documentedExamples, examplesOf, guardsOf } from "./support/documented_guards.ts";

// deno-lint-ignore no-explicit-any -- what examples define
type Any = any;

/** Guards, and the attacks on them. */
interface Attack {
  readonly name: string;
  /** Files, each with parts of its guard lines. */
  readonly guards: Readonly<Record<string, readonly string[]>>;
  attack(): Promise<void>;
}

const EXAMPLE = { headers: { "x-api-key": "key-of-ann" } };

function quiet(app: FrameworkApp): FrameworkApp {
  return app.set("env", "test");
}

async function ofProgram(file: string, part: string, ...guarded: Guarded[]): Promise<void> {
  const { app } = await defined(file, part, ["app"]);
  for (const one of guarded) await assertGuardedApp(quiet(app), one);
}

/** The cookie a response sets. */
function cookieOf(response: Response): string {
  return response.headers.getSetCookie().map((set) => set.split(";")[0]).join("; ");
}

async function cookieFrom(app: FrameworkApp, path: string, init: RequestInit = { method: "POST" }): Promise<string> {
  return cookieOf(await app.inject(path, init));
}

/** Forgeries of a session cookie. */
function forged(cookie: string): RequestInit[] {
  const [name = "", value = ""] = cookie.split(/=(.*)/);
  return [`${name.toUpperCase()}=${value}`, `x${name}=${value}`, `${name}=x; ${name}=${value}`, `${name} =${value}`]
    .map((other) => ({ headers: { cookie: other } }));
}

/** A function from an example that gets the request, such as `skip`. */
function functionsIn(file: string, option: string): ((req: object) => unknown)[] {
  const text = examplesOf(file, Deno.readTextFileSync(new URL(`../../${file}`, import.meta.url))).map(({ code }) =>
    code
  );
  const found = [
    ...text.join("\n").matchAll(new RegExp(`\\b${option}: (\\(req\\) => .*?),?(?: }.*)?(?: //.*)?$`, "gm")),
  ];
  return found.map(([, code]) => new Function(`return ${code}`)());
}

/**
 * Asserts that options that tighten a route's limit apply to all its spellings, and that options that relax it apply to
 * no other route.
 */
async function assertByRoute(
  file: string,
  option: string,
  path: string,
  named: { route: unknown } & { others?: unknown } | { others: unknown; route?: unknown },
) {
  const functions = functionsIn(file, option);
  assert(functions.length > 0, `${file} has no ${option}`);
  const app = quietApp();
  let req: Any;
  app.use((request, _res, next) => {
    req = request;
    next();
  });
  app.all(path, (_req, res) => res.send("it"));
  app.use((_req, res) => res.send("another"));
  for (const target of [path, "/other", ...spellings(path), ...spellings("/other")]) {
    const reached = await (await app.handle(sent(target), LOCAL)).text();
    for (const decide of functions) {
      const decision = decide(req);
      const what = `${file}: ${option} of ${target}`;
      if (reached === "it" && named.route !== undefined) assertEquals(decision, named.route, what);
      if (reached !== "it" && named.others !== undefined) assertEquals(decision, named.others, what);
    }
  }
}

/** Asserts that requests with made-up keys share one count. */
async function assertKeysCounted(app: FrameworkApp, path: string, init: RequestInit = {}) {
  const statuses = new Set<number>();
  for (let i = 0; i < 130 && !statuses.has(429) && !statuses.has(401); i++) {
    const headers = {
      ...init.headers as object,
      "x-api-key": `invented-${i}`,
      "x-user": `${i}`,
      host: `h${i}.example`,
    };
    statuses.add((await app.handle(sent(path, { ...init, headers }), LOCAL)).status);
  }
  assert(statuses.has(429) || statuses.has(401), `keys that are made up are not limited: ${[...statuses]}`);
}

const BASIC = `Basic ${btoa(":tUb4KZzYkJvC1G8n3aXw0QmPq5RrS7eL")}`;

/** Requests with the secret, to other hosts and from other pages. */
const ELSEWHERE: RequestInit[] = [
  { host: "evil.example:3000" },
  { "x-forwarded-for": "203.0.113.9" },
  { forwarded: "for=203.0.113.9" },
  { "sec-fetch-site": "cross-site" },
  { origin: "http://evil.example" },
].map((headers) => ({ headers: { authorization: BASIC, ...headers } as Record<string, string> }));

const DASHBOARD: Guarded = {
  path: "/limits?data",
  allowed: { headers: { authorization: BASIC } },
  secret: /"limiters"/,
  wrong: ELSEWHERE,
};

async function assertCsrf(app: FrameworkApp, foreign = "https://evil.example", below = ""): Promise<void> {
  const path = `${below}/attacked`;
  app.all(path, (_req, res) => res.send("done"));
  const ask = async (method: string, headers: Record<string, string>, target = path) => {
    const response = await app.handle(sent(target, { method, headers }), stranger());
    await response.body?.cancel();
    return response.status;
  };
  const own = { "sec-fetch-site": "same-origin", host: "shop.test", origin: "http://shop.test" };
  assertEquals(await ask("POST", own), 200);
  const attack = async (method: string, page: Record<string, string>, target: string) => {
    const status = await ask(method, { host: "shop.test", cookie: "session=1", ...page }, target);
    assert([403, 404].includes(status), `${method} ${target} of ${JSON.stringify(page)}: ${status}`);
  };
  const pages = [
    { origin: foreign },
    { origin: "null" },
    { origin: "http://shop.test.evil.example" },
    { origin: "http://shop.test:81" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", origin: "http://shop.test" },
    { "sec-fetch-site": "Same-Origin2" },
    { origin: foreign, "x-forwarded-host": new URL(foreign).host },
  ] as Record<string, string>[];
  for (const page of pages) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "post", "QUERY"]) {
      await attack(method, page, `${path}?_method=GET`);
      await attack(method, { ...page, "x-http-method-override": "GET" }, path);
    }
    for (const target of spellings(path)) await attack("POST", page, target);
  }
}

const STORES = ["session(", "store: new"];

const ATTACKS: readonly Attack[] = [
  {
    name: "a mount in front of files",
    guards: { "docs/guide/static-files.md": ['=== "Bearer 2f1c"', "else res.sendStatus(401)"] },
    async attack() {
      const [folder, before] = [await Deno.makeTempDir(), Deno.cwd()];
      await Deno.mkdir(`${folder}/site/members`, { recursive: true });
      await Deno.writeTextFile(`${folder}/site/members/news.txt`, "For members.");
      Deno.chdir(folder);
      try {
        await ofProgram("docs/guide/static-files.md", "Bearer 2f1c", {
          path: "/members/news.txt",
          allowed: { headers: { authorization: "Bearer 2f1c" } },
          secret: /^For members\.$/,
        });
      } finally {
        Deno.chdir(before);
        await Deno.remove(folder, { recursive: true });
      }
    },
  },
  {
    name: "a key for a mount, and for a route",
    guards: { "docs/guide/middleware.md": ["requireKey", 'req.get("x-api-key")', "keys.has(key)"] },
    attack: () =>
      ofProgram(
        "docs/guide/middleware.md",
        "requireKey",
        { path: "/report", allowed: { headers: { "x-api-key": "k-123" } }, secret: /^for one route$/ },
        { path: "/api/me", allowed: { headers: { "x-api-key": "k-123" } }, secret: /k-123/ },
      ),
  },
  {
    name: "a key for an account",
    guards: {
      "docs/guide/typescript.md": ["signedIn", "names.get(", "HttpError(401)"],
      "docs/migrate-from-express.md": ["signedIn", "names.get(", "sendStatus(401)"],
      "src/routing/making_middleware.ts": ["signedIn", "names.get(", "sendStatus(401)"],
    },
    attack: async () => {
      await ofProgram("docs/guide/typescript.md", "signedIn", { path: "/me", allowed: EXAMPLE, secret: /^ANN$/ });
      for (const file of ["docs/migrate-from-express.md", "src/routing/making_middleware.ts"]) {
        await ofProgram(file, "signedIn", { path: "/me", allowed: EXAMPLE, secret: /^ann$/ });
      }
    },
  },
  {
    name: "a key for a group, and one that middleware tells of itself",
    guards: {
      "src/routing/router_options.ts": ["keys.has("],
      "docs/production.md": ["requireKey"],
    },
    attack: async () => {
      const log = console.log;
      console.log = () => {};
      await ofProgram("src/routing/router_options.ts", "keys.has", {
        path: "/admin/users",
        allowed: EXAMPLE,
        secret: /^\[\]$/,
      }).finally(() => console.log = log);
      const { app } = await defined("docs/production.md", "const requireKey", ["app"], {
        before: 'import sluice from "@sluice/sluice";',
        after: 'const app = sluice(); app.get("/kept", requireKey, (_req, res) => res.send("it is here"));',
      });
      const allowed = { headers: { "x-key": "key-of-ann" } };
      await assertGuardedApp(quiet(app), { path: "/kept", allowed, secret: /^it is here$/ });
    },
  },
  {
    name: "signed tokens",
    guards: {
      "docs/guide/authentication.md": ["authenticated(", "const token", "refused(40", "jwtVerify("],
    },
    attack: async () => {
      const [own, other] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
      const provider = { keys: () => Promise.resolve(own.publicKey), issuer: "https://login.test/", audience: "notes" };
      const app = quiet(makeNotes(provider as Any));
      const token = (claims: object, key: Any = own.privateKey) =>
        new SignJWT({ iss: provider.issuer, aud: provider.audience, sub: "ann", scope: "notes:read", ...claims })
          .setProtectedHeader({ alg: "ES256" }).setExpirationTime("1m").sign(key);
      const encode = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
      const good = await token({});
      const unsigned = `${encode({ alg: "none" })}.${good.split(".")[1]}.`;
      const tokens = [
        await token({}, other.privateKey),
        await token({ iss: "https://evil.example/" }),
        await token({ aud: "others" }),
        await token({ scope: "notes:write notes:readall" }),
        unsigned,
        `${encode({ alg: "ES256" })}.${good.split(".")[1]}.`,
      ];
      const bearer = (one: string) => ({ headers: { authorization: `Bearer ${one}` } });
      await assertGuardedApp(app, {
        path: "/notes",
        allowed: bearer(good),
        secret: /"owner"/,
        wrong: [...tokens.map(bearer), { headers: { authorization: good } }],
      });
    },
  },
  {
    name: "accounts of better-auth",
    guards: {
      "docs/guide/authentication.md": [
        ...["const signedIn", "HttpError(401)", "signedIn, (_req", "signedIn, sluice.json()"],
        ...["secret:", "csrf({ origins"],
      ],
    },
    attack: async () => {
      const baseURL = "http://localhost";
      const secret = "for tests, of more than 32 characters";
      const database = () => memoryAdapter({ user: [], session: [], account: [], verification: [] });
      const app = quiet(makeAccounts({ database: database(), secret, baseURL }));
      const signUp = async (app: FrameworkApp) => {
        const body = JSON.stringify({ email: "ann@x.test", password: "correct horse battery", name: "Ann" });
        const headers = { "content-type": "application/json", origin: baseURL };
        return cookieOf(await app.inject("/api/auth/sign-up/email", { method: "POST", headers, body }));
      };
      const cookie = await signUp(app);
      const elsewhere = await signUp(makeAccounts({ database: database(), secret: secret.toUpperCase(), baseURL }));
      await assertGuardedApp(app, {
        path: "/me",
        allowed: { headers: { cookie } },
        secret: /"name":"Ann"/,
        // only the value is signed; spaces after the cookie's name are not a forgery
        wrong: [{ headers: { cookie: elsewhere } }, ...forged(cookie).slice(0, -1)],
      });
      await assertCsrf(app);
    },
  },
  {
    name: "tokens of one's own",
    guards: { "docs/guide/authentication.md": ["const signedIn", "HttpError(401", "signedIn, (_req"] },
    attack: async () => {
      const [own, other] = [await newKey(), await newKey()];
      const issuer = { issuer: "https://login.test/", audience: "notes" };
      const login = () => Promise.resolve("ann");
      const tokenOf = async (app: FrameworkApp) => {
        const body = JSON.stringify({ name: "ann", password: "x" });
        const response = await app.inject("/login", {
          method: "POST",
          body,
          headers: { "content-type": "application/json" },
        });
        return (await response.json()).access_token;
      };
      const app = quiet(makeTokens({ ...issuer, login, keys: [own] }));
      const good = await tokenOf(app);
      const bearer = (one: string) => ({ headers: { authorization: `Bearer ${one}` } });
      const wrong = [
        await tokenOf(makeTokens({ ...issuer, login, keys: [{ ...other, kid: own.kid! }] })),
        await tokenOf(makeTokens({ ...issuer, issuer: "https://evil.example/", login, keys: [own] })),
        await tokenOf(makeTokens({ ...issuer, audience: "others", login, keys: [own] })),
      ];
      await assertGuardedApp(app, {
        path: "/me",
        allowed: bearer(good),
        secret: /"user":"ann"/,
        wrong: [...wrong.map(bearer), { headers: { authorization: good } }, { headers: { cookie: `token=${good}` } }],
      });
    },
  },
  {
    name: "sealed sessions",
    guards: {
      "docs/guide/cookies-and-sessions.md": ["session({ secret"],
      "docs/guide/testing.md": ["session({ secret", "req.session.user ? undefined"],
      "docs/moving/from-express-5.md": ["session({ secret"],
      "middleware/README.md": ["session({ secret"],
      "middleware/session.ts": ["session({ secret"],
      "middleware/src/session/session.ts": ["session({", 'secret: "of at least'],
      "middleware/src/session/session_cookie.ts": ["session({ secret"],
    },
    attack: async () => {
      const { app } = await defined("docs/guide/cookies-and-sessions.md", "session({ secret", ["app"]);
      const cookie = await cookieFrom(quiet(app), "/login/ann");
      await assertGuardedApp(app, {
        path: "/",
        allowed: { headers: { cookie } },
        secret: /of ann/,
        wrong: forged(cookie),
      });
      const { app: tested, cookie: own } = await defined("docs/guide/testing.md", "session({ secret", [
        "app",
        "cookie",
      ]);
      const form = new FormData();
      form.append("file", new Blob(["abc"]), "a.txt");
      const allowed = { method: "POST", body: form, headers: { cookie: own } };
      await assertGuardedApp(tested, { path: "/files", allowed, secret: /"bytes":3/, wrong: forged(own) });
      for (
        const [file, part] of [
          ["docs/moving/from-express-5.md", "session({ secret"],
          ["middleware/README.md", "session({ secret"],
          ["middleware/session.ts", "session({ secret"],
          ["middleware/src/session/session.ts", "persistent: false"],
          ["middleware/src/session/session.ts", "5Vnrk"],
          ["middleware/src/session/session_cookie.ts", "5Vnrk"],
        ] as const
      ) {
        const { app } = await defined(file, part, ["app"]);
        app.get("/as-ann", (req: Any, res: Any) => {
          req.session.user = "ann";
          res.end();
        });
        app.get("/who", (req: Any, res: Any) => res.send(`it is ${req.session.user}`));
        const cookie = await cookieFrom(quiet(app), "/as-ann", {});
        const guarded = {
          path: "/who",
          allowed: { headers: { cookie } },
          secret: /^it is ann$/,
          wrong: forged(cookie),
        };
        await assertGuardedApp(app, guarded);
      }
    },
  },
  {
    name: "sessions in a store, all of which get the same hashes of the same ids",
    guards: {
      "docs/guide/cookies-and-sessions.md": ["session({ store })", "sendStatus(401)"],
      "middleware/README.md": ["new RedisSessionStore"],
      "middleware/session_redis.ts": STORES,
      "middleware/session_deno_kv.ts": STORES,
      "middleware/session_durable_object.ts": STORES,
      "middleware/src/session_redis/redis_session_store.ts": STORES,
      "middleware/src/session_deno_kv/deno_kv_session_store.ts": STORES,
      "middleware/src/session_durable_object/durable_object_session_store.ts": STORES,
      "middleware/src/session/memory_session_store.ts": STORES,
    },
    attack: async () => {
      const { app, sessionsOf } = await defined("docs/guide/cookies-and-sessions.md", "logout-everywhere", [
        "app",
        "sessionsOf",
      ]);
      const cookie = await cookieFrom(quiet(app), "/login/ann");
      const [id] = sessionsOf.get("ann");
      const ids = [id, encodeURIComponent(id), "ann", "*"].map((one) => ({ headers: { cookie: `session=${one}` } }));
      await assertGuardedApp(app, {
        path: "/",
        allowed: { headers: { cookie } },
        secret: /^ann$/,
        wrong: [...ids, ...forged(cookie)],
      });
      assertEquals((await app.inject("/logout-everywhere", { method: "POST" })).status, 401);
      assertEquals(await app.inject("/", { headers: { cookie } }).then((one: Response) => one.text()), "ann");
    },
  },
  {
    name: "requests of other sites' pages",
    guards: {
      "docs/guide/cookies-and-sessions.md": ["csrf()"],
      "docs/guide/production-checklist.md": ["csrf()"],
      "middleware/README.md": ["csrf({ origins", "csrf({ token"],
      "middleware/csrf.ts": ["csrf()"],
      "middleware/src/csrf/csrf.ts": ["csrf("],
    },
    attack: async () => {
      for (
        const [file, part] of [
          ["docs/guide/cookies-and-sessions.md", "csrf()"],
          ["middleware/README.md", "csrf({ origins"],
          ["middleware/README.md", "csrf({ token"],
          ["middleware/csrf.ts", "csrf()"],
          ["middleware/src/csrf/csrf.ts", "csrf({ origins"],
          ["middleware/src/csrf/csrf.ts", "csrf({ token"],
          ["middleware/src/csrf/csrf.ts", "csrf()"],
        ] as const
      ) {
        const { app } = await defined(file, part, ["app"]);
        await assertCsrf(quiet(app));
        await assertCsrf(app, "https://admin.example.com.evil.example");
      }
      const token = await defined("middleware/README.md", "csrf({ token", ["app"]);
      const ask = (headers: Record<string, string>) =>
        quiet(token.app).inject("/transfer", { method: "POST", headers });
      // a program without the token, but with a user's cookie
      for (const header of ["", "x", "undefined", "null"]) {
        assertEquals((await ask({ cookie: "session=1", "x-csrf-token": header })).status, 403);
      }
      const { status } = await ask({ authorization: "Basic OjE=" });
      assertEquals(status, 403);
      // the checklist's program exits on a signal, so the test attacks only the guard's line
      const checklist = examplesOf(
        "docs/guide/production-checklist.md",
        await Deno.readTextFile("docs/guide/production-checklist.md"),
      );
      assert(checklist.some(({ code }) => code.includes("app.use(helmet(), csrf(), timeout(10_000));")));
      await assertCsrf(quiet((await defined("middleware/csrf.ts", "csrf()", ["app"])).app));
    },
  },
  {
    name: "requests of pages of other origins to an API that some may call",
    guards: { "docs/recipes.md": ["makeApp(origins", "origin: origins", "csrf({ origins })"] },
    attack: async () => {
      await assertCsrf(quiet(makeCors(["https://app.example.com"])));
      await assertCsrf(quiet(makeCors(["https://app.example.com"])), "https://app.example.com.evil.example");
    },
  },
  {
    name: "pages that call an MCP server, and clients that begin sessions without end",
    guards: {
      "docs/guide/mcp-server.md": ['req.get("origin") !== undefined', "!origins.includes(origin)", "hasSession(res)"],
    },
    attack: async () => {
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      const types = { "accept": "application/json, text/event-stream", "content-type": "application/json" };
      const begin = async (app: FrameworkApp, headers: Record<string, string>, target = "/mcp", from = stranger()) => {
        const request = sent(target, { method: "POST", headers: { ...types, ...headers }, body });
        const response = await quiet(app).handle(request, from);
        await response.body?.cancel();
        return response.status;
      };
      const { app } = await defined("docs/guide/mcp-server.md", "Map<string, Transport>", ["app"]);
      const listing = makeMcp({ origins: ["https://app.example.com"] });
      assertEquals([await begin(app, {}), await begin(listing, {})], [200, 200]);
      assertEquals(await begin(listing, { origin: "https://app.example.com" }), 200);
      const origins = [
        ...["null", "", "http://localhost", "https://evil.example", "https://app.example.com.evil.example"],
        ...["http://app.example.com", "https://app.example.com:444", "https://example.com@app.example.com"],
      ];
      for (const one of [app, listing, mcpWorker]) {
        for (const origin of origins) {
          for (const target of ["/mcp", ...spellings("/mcp")]) {
            for (const added of ADDED) {
              const status = await begin(one, { ...added, origin }, target);
              assert(status === 403 || (target !== "/mcp" && status >= 400), `${origin} ${target}: ${status}`);
            }
          }
        }
      }
      const [client, counts] = [stranger(), new Map<number, number>()];
      for (let i = 0; i < 40; i++) {
        const named: Record<string, string> = i % 2 === 0 ? {} : { "mcp-session-id": crypto.randomUUID() };
        const status = await begin(listing, { "x-forwarded-for": `192.0.2.${i}`, ...named }, "/mcp", client);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      assertEquals([counts.get(200), counts.get(404)], [10, 20]);
    },
  },
  {
    name: "pages that open a WebSocket",
    guards: { "docs/websockets.md": ["signedIn", "origins:"] },
    attack: async () => {
      const { app } = await defined("docs/websockets.md", "origins: [", ["app"], {
        before: 'import sluice from "@sluice/sluice"; const app = sluice();\n' +
          'const signedIn = (req, res, next) => req.get("cookie") === "session=ann" ? next() : res.sendStatus(401);',
      });
      const handshake = {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        host: "example.com",
      };
      const ask = async (headers: Record<string, string>, target = "/inbox") =>
        (await quiet(app).handle(sent(target, { headers: { ...handshake, ...headers } }), LOCAL)).status;
      const cookie = "session=ann";
      // no handshake succeeds in this process; a 501 shows that no other code refused
      for (const origin of ["https://example.com", "https://app.example.com"]) {
        assertEquals(await ask({ cookie, origin }), 501, origin);
      }
      for (
        const origin of [
          ...["null", "https://evil.example", "https://example.com.evil.example", "https://evil.example/example.com"],
          ...["http://app.example.com", "https://app.example.com:444", "https://example.com@evil.example", ""],
        ]
      ) {
        for (const target of ["/inbox", ...spellings("/inbox")]) {
          for (const cookies of [{ cookie }, {}] as Record<string, string>[]) {
            const status = await ask({ ...cookies, origin }, target);
            assert(status !== 501 || origin === "", `${origin} ${target}: ${status}`);
          }
        }
      }
      // an application that trusts every client that can reach it uses a function
      const [, decides] = /`(origins: \(origin\) => .*)`/.exec(await Deno.readTextFile("docs/security.md"))!;
      const trusting = quietApp();
      trusting.ws("/inbox", { ...new Function(`return { ${decides} }`)(), message: () => {} });
      for (const [origin, status] of [["http://intranet.example", 501], ["http://evil.example", 403]] as const) {
        const headers = { ...handshake, host: new URL(origin).host, origin };
        assertEquals((await trusting.handle(sent("/inbox", { headers }), LOCAL)).status, status, origin);
      }
      // with DNS rebinding there is no cookie, so the request is not signed in
      const rebound = { host: "evil.example", origin: "http://evil.example" };
      for (const headers of [rebound, { host: "evil.example" }] as Record<string, string>[]) {
        assertEquals(await ask(headers), 401);
      }
    },
  },
  {
    name: "the host, of a service that trusts whoever reaches it",
    guards: { "docs/security.md": ["hosts.has("] },
    attack: async () => {
      const { app } = await defined("docs/security.md", "hosts.has(", ["app"]);
      quiet(app).set("trust proxy", true);
      const ask = async (headers: Record<string, string>, target = "/") =>
        await (await app.handle(sent(target, { headers }), LOCAL)).text();
      assertEquals(await ask({ host: "intranet.example" }), "for this machine");
      const rebound = [
        "evil.example",
        "evil.example:3000",
        "localhost",
        "intranet.example.evil.example",
        "127.0.0.1:3000",
      ];
      for (const host of rebound) {
        for (const name of ["x-forwarded-host", "x-original-host", "x-host", "forwarded", "origin"]) {
          for (const target of ["/", "/?x=1", "//", "/.", "/%2e"]) {
            const text = await ask({
              host,
              [name]: name === "forwarded" ? "host=intranet.example" : "intranet.example",
            }, target);
            assert(!text.includes("for this machine"), `${host} ${name} ${target}`);
          }
        }
      }
    },
  },
  {
    name: "the dashboard of a secret",
    guards: {
      "docs/limits/reference/monitoring.md": ["dashboard({ limiters: { api, messages }", "fetchDashboard({"],
      "advanced/dashboard.ts": ["dashboard({"],
      "advanced/src/dashboard/fetch_dashboard.ts": ["fetchDashboard({"],
    },
    attack: async () => {
      await ofProgram("docs/limits/reference/monitoring.md", "dashboard({ limiters: { api, messages }", DASHBOARD);
      await ofProgram("advanced/dashboard.ts", "dashboard({", DASHBOARD);
      const { page } = await defined("docs/limits/reference/monitoring.md", "fetchDashboard({", ["page"]);
      await assertGuarded(page, DASHBOARD);
      Deno.env.set("LIMITS_SECRET", atob(BASIC.slice("Basic ".length)).slice(1));
      try {
        const named = await defined("advanced/src/dashboard/fetch_dashboard.ts", "fetchDashboard({", ["page"], {
          before: 'import process from "node:process"; import { fetchLimit } from "@sluice/rate-limit"; ' +
            'import { fetchDashboard } from "@sluice/rate-limit/dashboard"; const limit = fetchLimit(); let handler;',
        });
        await assertGuarded(named.page, DASHBOARD);
      } finally {
        Deno.env.delete("LIMITS_SECRET");
      }
    },
  },
  {
    name: "the dashboard of administrators",
    guards: {
      "docs/limits/reference/monitoring.md": ["dashboard({", "hosts:", "authorize:"],
      "advanced/src/dashboard/dashboard.ts": ["dashboard({"],
      "advanced/src/dashboard/dashboard_options.ts": ["hosts:", "authorize:"],
    },
    attack: async () => {
      const before = `
        import sluice from "@sluice/sluice";
        import { rateLimit } from "@sluice/rate-limit";
        import { dashboard } from "@sluice/rate-limit/dashboard";
        import { session } from "@sluice/middleware/session";
        const api = rateLimit({ name: "api" });
        const app = sluice().use(session({ secret: "a secret for tests of 32 letters" }));
        app.get("/as/:user", (req, res) => {
          req.session.user = { isAdmin: req.params.user === "admin" ? true : req.params.user };
          res.end();
        });
      `;
      const files: [string, string, string?][] = [
        ["docs/limits/reference/monitoring.md", "req.session.user?.isAdmin"],
        ["advanced/src/dashboard/dashboard.ts", "req.session.user?.isAdmin"],
        [
          "advanced/src/dashboard/dashboard_options.ts",
          "req.session.user?.isAdmin",
          'app.use("/limits", dashboard(options));',
        ],
      ];
      for (const [file, part, after = ""] of files) {
        const { app } = await defined(file, part, ["app"], { before, after });
        const [admin, other] = await Promise.all(
          ["admin", "yes"].map((who) => cookieFrom(quiet(app), `/as/${who}`, {})),
        );
        const host = "admin.example.com";
        const wrong = [
          { cookie: other! },
          { host: "evil.example", cookie: admin! },
          { host: "localhost", cookie: admin!, "x-forwarded-host": host },
          { cookie: admin!, "sec-fetch-site": "cross-site" },
          { cookie: admin!, origin: "https://evil.example" },
        ].map((headers) => ({ headers: headers as Record<string, string> }));
        const allowed = { headers: { cookie: admin! } };
        await assertGuardedApp(app, { path: "/limits?data", host, allowed, secret: /"limiters"/, wrong });
      }
    },
  },
  {
    name: "the tutorial's accounts",
    guards: {
      "docs/tutorial/5-sessions.md": [
        ...["timingSafeEqual(", "secret", "users.has(", "signedIn", "req.session.user === undefined"],
      ],
      "docs/tutorial/6-events.md": ["signedIn"],
      "docs/tutorial/7-tests-and-deploy.md": ["secret: SECRET"],
    },
    attack: async () => {
      const db = new DatabaseSync(":memory:");
      const app = quiet(createApp({ db, secret: "a secret for tests of 32 letters" }) as Any);
      const post = (path: string, body: unknown, headers = {}) =>
        app.inject(path, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        });
      const account = { name: "ann", password: "correct horse battery" };
      const signup = await post("/api/signup", account);
      assertEquals(signup.status, 201);
      const cookie = cookieOf(signup);
      await post("/api/links", { url: "https://example.com", code: "docs" }, { cookie });
      const kept = { allowed: { headers: { cookie } }, wrong: forged(cookie) };
      const handle = (request: Request) => app.handle(request, stranger());
      await assertGuarded(handle, { ...kept, path: "/api/links", secret: /"docs"/ });
      const fresh = quiet(createApp({ db: new DatabaseSync(":memory:"), secret: "a".repeat(32) }) as Any);
      await assertCsrf(fresh, undefined, "/api");
      for (const path of ["/api/links/docs/visits", ...spellings("/api/links/docs/visits")]) {
        const response = await handle(sent(path));
        await response.body?.cancel();
        assert([401, 404].includes(response.status), path);
      }
      const users = new Users(db);
      assertEquals(await users.has("ann", account.password), true);
      for (const [name, password] of [["ann", ""], ["nobody", ""], ["ANN", account.password], ["ann", "correct"]]) {
        assertEquals(await users.has(name!, password!), false);
      }
      for (const wrong of [{ name: "ann" }, { name: ["ann"], password: [""] }, {}, null, { ...account, password: 1 }]) {
        const response = await post("/api/login", wrong);
        assert(response.status >= 400 && cookieOf(response) === "", JSON.stringify(wrong));
      }
    },
  },
  {
    name: "passwords of a login",
    guards: { "docs/limits/login.md": ["passwords.has(name)"] },
    attack: async () => {
      const { app } = await defined("docs/limits/login.md", "passwords.get(", ["app"]);
      const login = async (body: unknown, headers: Record<string, string> = {}) => {
        const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
        return (await quiet(app).handle(sent("/login", { ...init, body: JSON.stringify(body) }), LOCAL)).status;
      };
      assertEquals(await login({ name: "ann", password: "correct horse" }), 200);
      const guesses = [
        ...[{ name: "nobody" }, { name: "nobody", password: null }, {}, { name: "ann" }, { name: ["ann"] }],
        ...[{ name: "__proto__" }, { name: null, password: null }, { password: "correct horse" }, [], "ann"],
      ];
      for (const body of guesses) assert(await login(body) !== 200, JSON.stringify(body));
      // a name has one count across all spellings and claimed addresses
      const statuses: number[] = [];
      for (const name of ["ann", "ANN", "Ann", "aNN", "anN", "AnN"]) {
        statuses.push(await login({ name, password: "guess" }, { "x-forwarded-for": `192.0.2.${statuses.length}` }));
      }
      assert(statuses.includes(429), String(statuses));
    },
  },
  {
    name: "keys of customers",
    guards: {
      "docs/limits/api-keys.md": ['req.get("x-api-key")', "customers.has(key)"],
      "docs/limits/language-models.md": ["users.get("],
      "docs/limits/from-a-file.md": ['"key-of-ann"', "status(401)"],
      "src/middleware/rate_limit/options.ts": ["customers.get("],
      "docs/limits/reference/policies.md": ["customerOf("],
      "advanced/src/frameworks/fastify.ts": ["customers.get("],
      "advanced/src/frameworks/elysia.ts": ["customers.get("],
    },
    attack: async () => {
      const program = async (file: string, part: string) => quiet((await defined(file, part, ["app"])).app);
      await assertKeysCounted(await program("docs/limits/api-keys.md", "customers.has(key)"), "/api/items");
      const post = { method: "POST", headers: { "content-type": "application/json" }, body: '{"prompt":"x"}' };
      await assertKeysCounted(await program("docs/limits/language-models.md", "atOnce"), "/complete", post);
      const rest: [string, string, string][] = [
        ["src/middleware/rate_limit/options.ts", "customers.get(", "/"],
        ["docs/limits/reference/policies.md", "limit: async (req)", "/"],
        ["docs/limits/reference/policies.md", "policy: async (req)", "/api"],
      ];
      for (const [file, part, path] of rest) {
        const app = await program(file, part);
        app.use((_req, res) => res.send("served"));
        await assertKeysCounted(app, path);
      }
      const before = Deno.cwd();
      const folder = await Deno.makeTempDir();
      const page = await Deno.readTextFile("docs/limits/from-a-file.md");
      await Deno.writeTextFile(`${folder}/limits.json`, /^```json \[limits\.json\]\n(.*?)^```$/ms.exec(page)![1]!);
      Deno.chdir(folder);
      try {
        const text = examplesOf("docs/limits/from-a-file.md", page).find(({ code }) => code.includes("rules"))!.code;
        const app = await program("docs/limits/from-a-file.md", "new PolicyRules");
        assert(text.includes("rules.replace"));
        await assertKeysCounted(app, "/api/items");
        let refused = 0;
        for (const target of ["/login", "/LOGIN", "/login/", "/Login/?x", "/login", "/loGin", "/login"]) {
          const headers = EXAMPLE.headers;
          if ((await app.handle(sent(target, { method: "POST", headers }), LOCAL)).status === 429) refused++;
        }
        assertEquals(refused, 2);
      } finally {
        Deno.chdir(before);
        await Deno.remove(folder, { recursive: true });
      }
      for (const [file, header] of [["fastify", "request.headers"], ["elysia", "headers"]] as const) {
        const text = await Deno.readTextFile(`advanced/src/frameworks/${file}.ts`);
        const [, code] = /keyGenerator: (\(.*),$/m.exec(text)!;
        assert(code!.includes(header));
        const keyOf = new Function("customers", `return ${code}`)(new Map([["key-of-ann", "ann"]]));
        const key = (value: unknown) => keyOf({ headers: { "x-api-key": value } });
        assertEquals(key("key-of-ann"), "ann");
        for (const value of ["invented", undefined, "", "__proto__", ["x"]]) assertEquals(key(value), "nobody");
      }
    },
  },
  {
    name: "limits that depend on the path",
    guards: {
      "docs/limits/api-keys.md": ["cost:"],
      "docs/moving/from-express-rate-limit.md": ["skip:"],
      "docs/production.md": ["priority:"],
      "src/middleware/rate_limit/options.ts": ["skip:"],
      "src/middleware/overload/shed_load.ts": ["priority:"],
      "advanced/src/concurrency/adaptive_concurrency.ts": ["priority:"],
      "docs/limits/reference/policies.md": ["cost:", "skip:"],
      "docs/limits/reference/adaptive-concurrency.md": ["priority:"],
    },
    attack: async () => {
      await assertByRoute("docs/limits/api-keys.md", "cost", "/export", { route: 2 });
      for (const file of ["docs/moving/from-express-rate-limit.md", "src/middleware/rate_limit/options.ts"]) {
        await assertByRoute(file, "skip", "/health", { others: false });
      }
      await assertByRoute("docs/limits/reference/policies.md", "skip", "/health", { others: false });
      for (const file of ["docs/production.md", "src/middleware/overload/shed_load.ts"]) {
        await assertByRoute(file, "priority", "/health", { others: "normal" });
      }
      for (
        const file of [
          "advanced/src/concurrency/adaptive_concurrency.ts",
          "docs/limits/reference/adaptive-concurrency.md",
        ]
      ) {
        await assertByRoute(file, "priority", "/reports", { route: "low" });
      }
      await assertByRoute("docs/limits/reference/policies.md", "cost", "/export", { route: 10 });
    },
  },
  {
    name: "sessions that some paths do without",
    guards: { "middleware/README.md": ["app.use(session({"] },
    // every spelling that reaches a route that needs a session gets a session
    attack: () => assertByRoute("middleware/README.md", "when", "/account", { route: true }),
  },
  {
    name: "responses that a cache must not share",
    guards: { "docs/recipes.md": ['req.get("authorization")'] },
    attack: async () => {
      const app = quietApp();
      app.get(
        "/mine",
        responseCache()((req) =>
          Response.json({ of: req.get("authorization") ?? null }, { headers: { "cache-control": "max-age=60" } })
        ),
      );
      for (const authorization of ["Bearer of-ann", "bearer of-ann", "of-ann"]) {
        await app.inject("/mine", { headers: { authorization } });
        for (const target of ["/mine", ...spellings("/mine")]) {
          assert(!(await (await app.handle(sent(target), LOCAL)).text()).includes(authorization), target);
        }
      }
    },
  },
];

for (const { name, attack } of ATTACKS) {
  Deno.test(`a documented guard holds: ${name}`, attack);
}

const covered = ATTACKS.flatMap(({ guards }) =>
  Object.entries(guards).flatMap(([file, parts]) => parts.map((part) => ({ file, part })))
);

/** Guards that no attack names. */
function unattacked(examples: ReturnType<typeof documentedExamples>): string[] {
  return guardsOf(examples)
    .filter(({ file, line }) => !covered.some((one) => one.file === file && line.includes(one.part)))
    .map(({ file, line }) => `${file}: ${line}`);
}

Deno.test("every guard that is documented is attacked", () => {
  assertEquals(unattacked(documentedExamples()), []);
});

Deno.test("whatever is attacked is documented", () => {
  const guards = guardsOf(documentedExamples());
  const stale = covered.filter(({ file, part }) =>
    !guards.some((guard) => guard.file === file && guard.line.includes(part))
  );
  assertEquals(stale, []);
  assert(guards.length > 80, `${guards.length} guards`);
});

Deno.test("a guard that is documented anew, in a page or a comment, is a failure until it is attacked", () => {
  const code = 'app.use("/limits", dashboard({ limiters, authorize: (req) => req.ip === "127.0.0.1" }));';
  const page = examplesOf("docs/new.md", `# New\n\n\`\`\`ts\n${code}\n\`\`\`\n`);
  const comment = examplesOf("src/new.ts", `/**\n * \`\`\`ts ignore\n * ${code}\n * \`\`\`\n */\n`);
  assertEquals(unattacked([...page, ...comment]), [`docs/new.md: ${code}`, `src/new.ts: ${code}`]);
});

Deno.test("an attack gets past guards that do not hold", async () => {
  const allowed = { headers: { "x-api-key": "key-of-ann" } };
  const weak: [string, (req: Any) => boolean][] = [
    ["the address, which a page that was rebound and a proxy have, too", (req) => req.ip === "127.0.0.1"],
    ["any key", (req) => req.get("x-api-key") !== undefined],
    ["a part of the key", (req) => "key-of-ann".includes(req.get("x-api-key") ?? "-")],
    ["the path, in one case", (req) => req.path !== "/kept" || req.get("x-api-key") === "key-of-ann"],
    ["the method", (req) => req.method !== "GET" || req.get("x-api-key") === "key-of-ann"],
    ["the host", (req) => req.hostname === "evil.example" || req.get("x-api-key") === "key-of-ann"],
  ];
  for (const [what, isLetThrough] of weak) {
    const app = quietApp();
    app.use((req, res, next) => isLetThrough(req) ? next() : res.sendStatus(401));
    app.all("/kept", (_req, res) => res.send("it is here"));
    const attacked = () => assertGuardedApp(app, { path: "/kept", allowed, secret: /^it is here$/ });
    await assertRejects(attacked, Error, "got it is here").catch((cause) => {
      throw new Error(`no attack gets past a guard that looks at ${what}`, { cause });
    });
  }
});

import sluice, { type FrameworkApp, type Request, type Response } from "@sluice/sluice";
import {
  type Flash,
  MemorySessionStore,
  session,
  type SessionExtras,
  type SessionOptions,
} from "@sluice/middleware/session";
import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { SealedSessions } from "../src/session/sealed_sessions.ts";
import { CookieClient } from "./support/cookie_client.ts";
import { SECRETS, sessionApp, StillClock } from "./support/session_app.ts";
import { warningsOf } from "../../tests/support/warnings.ts";

const [SECRET, OLD_SECRET] = SECRETS;
const HOUR_MS = 3_600_000;

/** The type that programs get by declaring it. */
function flashOf(req: object): Flash {
  return (req as { flash: Flash }).flash;
}

Deno.test("a session lasts from one request to the next, inside its cookie", async () => {
  const client = new CookieClient(sessionApp());
  assertEquals(await client.json("/set?key=a&value=1"), { a: "1" });
  assertEquals(await client.json("/set?key=b&value=2"), { a: "1", b: "2" });
  assertEquals(await client.json("/read"), { a: "1", b: "2" });
});

Deno.test("a response sets a cookie only if its session has changed", async () => {
  const client = new CookieClient(sessionApp());
  const sent: [string, number][] = [];
  for (const path of ["/read", "/set?key=a&value=1", "/set?key=a&value=1", "/read", "/untouched", "/touch"]) {
    await client.text(path);
    sent.push([path, client.setCookies.length]);
  }
  assertEquals(sent, [
    ["/read", 0],
    ["/set?key=a&value=1", 1],
    ["/set?key=a&value=1", 0],
    ["/read", 0],
    ["/untouched", 0],
    ["/touch", 1],
  ]);
});

Deno.test("a change inside of a value is one", async () => {
  const app = sessionApp();
  app.get("/push", (req, res) => {
    (req.session.cart ??= []).push("book");
    res.json(req.session.cart.length);
  });
  const client = new CookieClient(app);
  assertEquals([await client.json("/push"), await client.json("/push"), await client.json("/push")], [1, 2, 3]);
});

Deno.test("the cookie is hidden from scripts, for the whole host, and lives as long as its session", async () => {
  const client = new CookieClient(sessionApp({ secret: SECRET, cookie: { maxAge: HOUR_MS } }));
  await client.text("/set?key=a&value=1");
  assertMatch(
    client.setCookies[0]!,
    /^session=[\w-]+; Max-Age=3600; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$/,
  );
});

Deno.test("over TLS the cookie is secure, and has a name that no other host of the domain can set", async () => {
  const client = new CookieClient(sessionApp(), "https://localhost");
  await client.text("/set?key=a&value=1");
  assertMatch(client.setCookies[0]!, /^__Host-session=/);
  assertMatch(client.setCookies[0]!, /; Secure/);
  assertEquals(await client.json("/read"), { a: "1" });
});

Deno.test("behind a proxy that is trusted the cookie is secure if the client used TLS", async () => {
  const client = new CookieClient(sessionApp());
  await client.text("/set?key=a&value=1", { headers: { "x-forwarded-proto": "https" } });
  assertMatch(client.setCookies[0]!, /^__Host-session=.*; Secure/);
});

Deno.test("a cookie for a domain, or with a name of the program's, has no prefix of its own", async () => {
  const options: SessionOptions[] = [{ cookie: { domain: "example.com" } }, { cookie: { path: "/app" } }, {
    name: "sid",
  }];
  const names: string[] = [];
  for (const one of options) {
    const client = new CookieClient(sessionApp({ secret: SECRET, ...one }), "https://localhost");
    await client.text("/set?key=a&value=1");
    names.push(client.setCookies[0]!.split("=")[0]!);
  }
  assertEquals(names, ["session", "session", "sid"]);
});

Deno.test("the attributes of the cookie can be chosen", async () => {
  const cookie = {
    domain: "example.com",
    httpOnly: false,
    partitioned: true,
    path: "/app",
    persistent: false,
    priority: "high",
    sameSite: "strict",
    secure: true,
  } as const;
  const client = new CookieClient(sessionApp({ secret: SECRET, cookie }));
  await client.text("/set?key=a&value=1");
  const [, ...attributes] = client.setCookies[0]!.split("; ");
  assertEquals(attributes.sort(), [
    ...["Domain=example.com", "Partitioned", "Path=/app", "Priority=High", "SameSite=Strict", "Secure"],
  ]);
});

Deno.test("whatever byte of a cookie is changed, the client has a new session, and no error", async () => {
  const app = sessionApp();
  const client = new CookieClient(app);
  await client.text("/set?key=a&value=1");
  const value = client.cookies.get("session")!;
  for (let i = 0; i < value.length; i++) {
    for (const other of [value[i] === "A" ? "B" : "A", value[i] === "_" ? "-" : "_"]) {
      const forged = value.slice(0, i) + other + value.slice(i + 1);
      const response = await app.inject("/read", { headers: { cookie: `session=${forged}` } });
      assertEquals([response.status, await response.json()], [200, {}], `${i}: ${other}`);
    }
  }
  for (const forged of ["", "A", "====", value.slice(1), value.slice(0, -1), `${value}A`, "ä", "\u0001"]) {
    const headers = new Headers();
    try {
      headers.set("cookie", `session=${forged}`);
    } catch {
      continue;
    }
    assertEquals(await (await app.inject("/read", { headers })).json(), {}, forged);
  }
  assertEquals(await client.json("/read"), { a: "1" });
});

Deno.test("a cookie of another name, or sealed with another secret, is nothing", async () => {
  const client = new CookieClient(sessionApp({ secret: SECRET, name: "one" }));
  await client.text("/set?key=admin&value=1");
  const value = client.cookies.get("one")!;
  const others = [sessionApp({ secret: SECRET, name: "two" }), sessionApp({ secret: OLD_SECRET, name: "one" })];
  for (const app of others) {
    const headers = { cookie: `one=${value}; two=${value}` };
    assertEquals(await (await app.inject("/read", { headers })).json(), {});
  }
});

Deno.test("two cookies of the same content share no bytes that tell so, and nobody can read them", async () => {
  const app = sessionApp();
  const [one, other] = [new CookieClient(app), new CookieClient(app)];
  await Promise.all([one.text("/set?key=name&value=Ada"), other.text("/set?key=name&value=Ada")]);
  const [a, b] = [one, other].map(({ cookies }) => cookies.get("session")!) as [string, string];
  // the version, the secret and the key
  assertEquals(a.slice(0, 28), b.slice(0, 28));
  assertNotEquals(a.slice(28, 44), b.slice(28, 44));
  assertNotEquals(a.slice(44), b.slice(44));
  assert(!atob(a.replaceAll("-", "+").replaceAll("_", "/")).includes("Ada"));
});

Deno.test("each process seals with a key of its own, and opens the cookies of all", async () => {
  const [one, other] = [new CookieClient(sessionApp()), new CookieClient(sessionApp())];
  for (const client of [one, other]) await client.text("/set?key=a&value=1");
  const [a, b] = [one, other].map(({ cookies }) => cookies.get("session")!) as [string, string];
  // the version and the secret
  assertEquals(a.slice(0, 6), b.slice(0, 6));
  assertNotEquals(a.slice(7, 28), b.slice(7, 28));
  const third = sessionApp();
  for (const cookie of [a, b, a]) {
    assertEquals(await (await third.inject("/read", { headers: { cookie: `session=${cookie}` } })).json(), { a: "1" });
  }
});

Deno.test("a key seals as many cookies as random IVs allow, and another one follows", async () => {
  const sessions = new SealedSessions([SECRET], Date.now, 3);
  const kept = sessions.begin();
  const cookies = await Promise.all(Array.from({ length: 7 }, () => sessions.keep(kept, "{}", HOUR_MS, "session")));
  const keys = cookies.map((cookie) => cookie.slice(0, 28));
  assertEquals(keys.map((key) => keys.indexOf(key)), [0, 0, 0, 3, 3, 3, 6]);
  for (const cookie of cookies) assertEquals((await sessions.find(cookie, "session"))!.id, kept.id);
});

Deno.test("a secret can be replaced: old cookies are read, and sealed with the new one", async () => {
  const old = new CookieClient(sessionApp({ secret: OLD_SECRET }));
  await old.text("/set?key=a&value=1");
  const both = new CookieClient(sessionApp({ secret: [SECRET, OLD_SECRET] }), undefined, old.cookies);
  await both.text("/untouched");
  assertEquals(both.setCookies.length, 1);
  await both.text("/untouched");
  assertEquals(both.setCookies.length, 0);
  const renewed = new CookieClient(sessionApp({ secret: SECRET }), undefined, both.cookies);
  assertEquals(await renewed.json("/read"), { a: "1" });
});

Deno.test("a session ends maxAge after the last response that changed it", async () => {
  const clock = new StillClock();
  const client = new CookieClient(sessionApp({ secret: SECRET, cookie: { maxAge: HOUR_MS }, clock: clock.read }));
  await client.text("/set?key=a&value=1");
  clock.time += HOUR_MS - 1;
  assertEquals(await client.json("/set?key=b&value=2"), { a: "1", b: "2" });
  clock.time += HOUR_MS - 1;
  assertEquals(await client.json("/read"), { a: "1", b: "2" });
  clock.time += 1;
  assertEquals(await client.json("/read"), {});
});

Deno.test("touch() prolongs a session, and so does every response if it is rolling", async () => {
  for (const [path, rolling] of [["/touch", false], ["/untouched", true], ["/read", true]] as const) {
    const clock = new StillClock();
    const client = new CookieClient(
      sessionApp({ secret: SECRET, cookie: { maxAge: HOUR_MS }, rolling, clock: clock.read }),
    );
    await client.text(path);
    assertEquals(client.setCookies, [], "nothing to prolong");
    await client.text("/set?key=a&value=1");
    for (let i = 0; i < 5; i++) {
      clock.time += HOUR_MS - 1;
      await client.text(path);
      assertMatch(client.setCookies[0]!, /Max-Age=3600/);
    }
    assertEquals(await client.json("/read"), { a: "1" });
  }
});

Deno.test("a session ends absoluteTtlMs after it began, however it is prolonged", async () => {
  const clock = new StillClock();
  const client = new CookieClient(
    sessionApp({
      secret: SECRET,
      cookie: { maxAge: HOUR_MS },
      absoluteTtlMs: 3 * HOUR_MS,
      rolling: true,
      clock: clock.read,
    }),
  );
  await client.text("/set?key=a&value=1");
  for (let i = 0; i < 5; i++) {
    clock.time += HOUR_MS / 2;
    assertEquals(await client.json("/set?key=a&value=" + i), { a: String(i) });
  }
  assertMatch(client.setCookies[0]!, /Max-Age=1800/);
  clock.time += HOUR_MS / 2;
  assertEquals(await client.json("/read"), {});
});

Deno.test("regenerate() gives another id and nothing else", async () => {
  const client = new CookieClient(sessionApp());
  await client.text("/set?key=a&value=1");
  const before = await client.json("/id");
  assertEquals(await client.json("/id"), before);
  assertEquals(await client.json("/regenerate?user=ada"), { user: "ada" });
  assertEquals(await client.json("/read"), { user: "ada" });
  assertNotEquals(await client.json("/id"), before);
});

Deno.test("destroy() and null empty the session, and have the client delete its cookie", async () => {
  for (const path of ["/destroy", "/null"]) {
    const client = new CookieClient(sessionApp());
    await client.text(path);
    assertEquals(client.setCookies, [], "there was none");
    await client.text("/set?key=a&value=1");
    await client.text(path);
    assertEquals(client.setCookies, [
      "session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax",
    ]);
    assertEquals(client.cookies.size, 0);
    assertEquals(await client.json("/read"), {});
  }
});

Deno.test("what is written after destroy() begins another session", async () => {
  const app = sessionApp();
  app.get("/logout", async (req, res) => {
    await req.session.destroy();
    flashOf(req)("info", "Bye");
    res.json(req.session.isNew);
  });
  app.get("/flash", (req, res) => res.json(flashOf(req)()));
  const client = new CookieClient(app);
  await client.text("/set?key=a&value=1");
  const id = await client.json("/id");
  assertEquals(await client.json("/logout"), true);
  assertEquals(client.setCookies.length, 1);
  assertNotEquals(await client.json("/id"), id);
  assertEquals(await client.json("/flash"), { info: ["Bye"] });
});

Deno.test("a sealed cookie that was copied works after destroy(), as the documentation says", async () => {
  const client = new CookieClient(sessionApp());
  await client.text("/set?key=a&value=1");
  const stolen = client.copy();
  await client.text("/destroy");
  assertEquals(await stolen.json("/read"), { a: "1" });
});

Deno.test("to assign anything but null to req.session is an error that says what to do", async () => {
  const app = sessionApp();
  app.get("/assign", (req, res) => {
    req.session = { a: 1 };
    res.end();
  });
  const response = await app.inject("/assign");
  assertEquals(response.status, 500);
  assertMatch(await response.text(), /req\.session can only be assigned null, .*set its properties instead/);
});

Deno.test("a cookie that browsers would drop is an error before anything is sent", async () => {
  const app = sessionApp();
  const seen: unknown[] = [];
  app.get("/large/:size", (req, res) => {
    req.session.text = "x".repeat(Number(req.params["size"]));
    res.set("X-Own", "kept").status(201).send("never sent");
  });
  app.use((error: Error, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
    seen.push(error);
    next(error);
  });
  const client = new CookieClient(app);
  assertEquals((await client.ask("/large/2000")).status, 201);
  const response = await client.ask("/large/4000");
  assertEquals([response.status, client.setCookies], [500, []]);
  const text = await response.text();
  assertMatch(text, /RangeError: session: the cookie session would have 5\d\d\d bytes.*drop.* than 4096.*option store/);
  assert(!text.includes("never sent"));
  assertEquals(seen.map((error) => error instanceof RangeError), [true]);
});

Deno.test("what is not JSON is an error that says so", async () => {
  const app = sessionApp();
  app.get("/bigint", (req, res) => {
    req.session.n = 1n;
    res.json("never sent");
  });
  const response = await app.inject("/bigint");
  assertEquals(response.status, 500);
  assertMatch(await response.text(), /req\.session: session data must be JSON/);
});

Deno.test("names of prototypes are data like all others", async () => {
  const client = new CookieClient(sessionApp());
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];
  for (const name of names) await client.text(`/set?key=${name}&value=mine`);
  const read = await client.json("/read") as Record<string, unknown>;
  assertEquals(Object.entries(read), names.map((name): [string, string] => [name, "mine"]));
  assertEquals(({} as Record<string, unknown>)["mine"], undefined);
});

Deno.test("an object under the name of the prototype changes no methods", async () => {
  const app = sessionApp();
  app.get("/pollute", async (req, res) => {
    req.session["__proto__"] = { save: "none", admin: true };
    await req.session.save();
    res.json([req.session.admin ?? null, typeof req.session.touch]);
  });
  const client = new CookieClient(app);
  assertEquals(await client.json("/pollute"), [null, "function"]);
  assertEquals(await client.text("/read"), '{"__proto__":{"save":"none","admin":true}}');
  assertEquals(await client.json("/pollute"), [null, "function"]);
});

Deno.test("the names of the session's methods cannot become data", async () => {
  const app = sessionApp();
  for (const name of ["id", "isNew", "save", "touch", "destroy", "regenerate"]) {
    const response = await app.inject(`/set?key=${name}&value=x`);
    assertEquals([response.status, response.headers.getSetCookie()], [500, []], name);
    await response.body?.cancel();
  }
});

Deno.test("flash messages are read once, by kind or all together", async () => {
  const app = sessionApp();
  app.get("/say", (req, res) => {
    flashOf(req)("info", "one");
    flashOf(req)("__proto__", ["two", "three"]);
    flashOf(req)("info", "four");
    res.redirect("/hear");
  });
  app.get(
    "/hear",
    (req, res) => res.json(req.query["kind"] ? flashOf(req)(String(req.query["kind"])) : flashOf(req)()),
  );
  const client = new CookieClient(app);
  assertEquals((await client.ask("/say")).status, 302);
  assertEquals(await client.json("/hear?kind=other"), []);
  assertEquals(client.setCookies, []);
  assertEquals(await client.json("/hear?kind=info"), ["one", "four"]);
  assertEquals(await client.text("/hear"), '{"__proto__":["two","three"]}');
  assertEquals(await client.json("/hear"), {});
  assertEquals(await client.json("/read"), {}, "messages are not among the data");
});

Deno.test("save() keeps a session at once, and the response does not do so again", async () => {
  const app = sessionApp();
  app.get("/save", async (req, res) => {
    req.session.a = 1;
    await req.session.save();
    const early = res.getHeader("Set-Cookie");
    res.json([early].flat().length);
  });
  const client = new CookieClient(app);
  assertEquals(await client.json("/save"), 1);
  assertEquals(client.setCookies.length, 1);
  assertEquals(await client.json("/read"), { a: 1 });
});

Deno.test("the last of several changes counts, and the cookies of others stay", async () => {
  const app = sessionApp();
  app.get("/several", async (req, res) => {
    res.cookie("mine", "1");
    req.session.a = 1;
    await req.session.save();
    res.cookie("session-other", "2");
    await req.session.regenerate();
    req.session.b = 2;
    res.end();
  });
  const client = new CookieClient(app);
  await client.text("/several");
  assertEquals(client.setCookies.map((line) => line.split("=")[0]), ["mine", "session-other", "session"]);
  assertEquals(await client.json("/read"), { b: 2 });
});

Deno.test("methods call back, as code that was written for Express expects", async () => {
  const app = sessionApp();
  app.get("/login", (req, res, next) => {
    req.session.regenerate((failed?: unknown) => {
      if (failed) return next(failed);
      req.session.user = "ada";
      req.session.save((failed?: unknown) => {
        if (failed) return next(failed);
        req.session.touch().destroy((failed?: unknown) => res.json(failed ?? "none"));
      });
    });
  });
  assertEquals(await (await app.inject("/login")).json(), "none");
});

Deno.test("responses that depend on a session tell caches so, and no others", async () => {
  const app = sessionApp();
  app.get("/vary", (req, res) => {
    void req.session.a;
    res.vary("Accept").send("");
  });
  const varies = async (path: string) => (await app.inject(path)).headers.get("vary");
  assertEquals([await varies("/untouched"), await varies("/read"), await varies("/vary")], [
    ...[null, "Cookie", "Accept, Cookie"],
  ]);
});

Deno.test("of two middlewares the first counts, and every application and router has its own otherwise", async () => {
  const app = sessionApp();
  const router = sluice.Router();
  router.use(session({ secret: OLD_SECRET, name: "other" }));
  router.get("/inner", (req, res) => {
    req.session.inner = 1;
    res.json(req.session);
  });
  app.use("/router", router);
  const client = new CookieClient(app);
  await client.text("/set?key=a&value=1");
  assertEquals(await client.json("/router/inner"), { a: "1", inner: 1 });
  assertEquals([...client.cookies.keys()], ["session"]);
  const alone = new CookieClient(sluice().use("/router", router));
  assertEquals(await alone.json("/router/inner"), { inner: 1 });
  assertEquals([...alone.cookies.keys()], ["other"]);
});

Deno.test("a request without a session that nobody touches waits for nothing", () => {
  const app = sessionApp();
  assert(app.fetch(new Request("http://localhost/untouched")) instanceof Response);
  assert(app.fetch(new Request("http://localhost/read")) instanceof Response);
});

Deno.test("options that cannot be meant are refused, by name", () => {
  const secret = SECRET;
  const cases: [unknown, RegExp][] = [
    [undefined, /session: options must be an object, not undefined/],
    [{}, /session: give option secret.*or option store/],
    [{ secret: 7 }, /session: option secret must be a string, not number/],
    [{ secret: [] }, /session: option secret is an empty list/],
    [{ secret: [secret, null] }, /session: option secret\[1\] must be a string, not null/],
    [{ secret: "short and secret" }, /session: option secret has 16 characters; 32 or more are needed/],
    [{ secret: [secret, "short and secret"] }, /session: option secret\[1\] has 16 characters/],
    [{ secret, resave: true }, /option resave must be false: a session is written when it has changed, not true/],
    [{ secret, saveUninitialized: true }, /option saveUninitialized must be false: a session begins when something/],
    [{ secret, maxAge: 1 }, /there is no option maxAge; use cookie: { maxAge }/],
    [{ secret, keys: [] }, /no option keys; use secret, which accepts a list/],
    [{ secret, cookie: { maxAge: 0 } }, /option cookie.maxAge must be an integer from 1/],
    [{ secret, absoluteTtlMs: 1.5 }, /option absoluteTtlMs must be an integer/],
    [{ secret, rolling: 1 }, /option rolling must be true or false/],
    [{ secret, clock: 1 }, /option clock must be a function/],
    [{ secret, name: "a b" }, /option name must be the name of a cookie/],
    [
      { secret, name: "__Host-sid" },
      /refuse a cookie named __Host-sid unless it is secure, for path \/ and without a domain/,
    ],
    [
      { secret, name: "__Secure-sid" },
      /refuse a cookie named __Secure-sid unless it is secure; give cookie.secure: true/,
    ],
    [{ secret, name: "__Host-s", cookie: { secure: true, path: "/a" } }, /refuse a cookie named __Host-s/],
    [{ secret, cookie: 1 }, /option cookie must be an object of attributes/],
    [
      { secret, cookie: { expires: 1 } },
      /session: option cookie: there is no option expires; use maxAge, in ms/,
    ],
    [{ secret, cookie: { httponly: true } }, /option cookie: there is no option httponly; did you mean httpOnly/],
    [{ secret, cookie: { secure: "yes" } }, /option cookie.secure must be true, false or "auto"/],
    [{ secret, cookie: { sameSite: true } }, /option cookie.sameSite must be "lax", "strict" or "none"/],
    [{ secret, cookie: { sameSite: "none", secure: false } }, /sameSite "none" unless it is secure/],
    [{ secret, cookie: { persistent: 1 } }, /option cookie.persistent must be true or false/],
    [{ store: {} }, /option store must be a SessionStore, with get, set, destroy and touch/],
  ];
  for (const [options, message] of cases) {
    const error = assertThrows(() => session(options as SessionOptions));
    assert(error instanceof TypeError || error instanceof RangeError);
    assertMatch(error.message, message);
    assert(!error.message.includes("short and secret"), "no error shows a secret");
  }
  session({ secret, name: "__Host-s", cookie: { secure: true } });
  session({ secret, name: "__Secure-s", cookie: { secure: true, path: "/a" } });
});

Deno.test("in development, ending a sealed session warns once that copies of the cookie stay valid", async () => {
  const ends: Record<string, (req: Request) => unknown> = {
    "req.session.destroy()": (req) => req.session.destroy(),
    "req.session.regenerate()": (req) => req.session.regenerate(),
    "req.session = null": (req) => void ((req as { session: unknown }).session = null),
  };
  for (const [caller, end] of Object.entries(ends)) {
    const app = (env: string, options: SessionOptions) => {
      const app = sluice().set("env", env).use(session(options));
      app.get("/begin", (req, res) => void res.send(String(req.session.user = "ann")));
      app.get("/end", async (req, res) => {
        await end(req);
        res.send("ended");
      });
      return app;
    };
    const secret = "5VnrkxJ0fTuGGq7ZJvqCCiTTQ9SXYH2l";
    const warned = (app: FrameworkApp, ...paths: string[]) =>
      warningsOf(async () => {
        const client = new CookieClient(app);
        for (const path of paths) assertEquals((await client.ask(path)).status, 200);
      });
    const all = ["/begin", "/end", "/begin", "/end"];
    for (const env of ["test", "production"]) assertEquals(await warned(app(env, { secret }), ...all), []);
    const store = new MemorySessionStore();
    assertEquals(await warned(app("development", { store }), ...all), [], "with a store");
    assertEquals(await warned(app("development", { secret }), "/end"), [], "without a session");
    assertEquals(await warned(app("development", { secret }), ...all), [
      `${caller} deletes this client's cookie, but copies of it stay valid until they expire, because it holds the ` +
      "session itself; to end a session everywhere, keep it in a store: session({ store: new MemorySessionStore() }), " +
      "or RedisSessionStore for several processes",
    ]);
  }
});

/** A login with "remember me" as in express-session, and the lifetime that each response shows. */
function rememberingApp(options: Partial<SessionOptions> = {}): FrameworkApp {
  const app = sessionApp({ secret: SECRET, ...options });
  app.get("/login", async (req, res) => {
    await req.session.regenerate();
    req.session.user = "ada";
    if (req.query["days"]) req.session.cookie.maxAge = Number(req.query["days"]) * 24 * HOUR_MS;
    else req.session.cookie.expires = false;
    res.json(req.session.cookie);
  });
  app.get("/until", (req, res) => {
    req.session.cookie.expires = new Date(Number(req.query["time"]));
    res.json(req.session.cookie.maxAge);
  });
  app.get("/cookie", (req, res) => res.json(req.session.cookie));
  return app;
}

for (const store of [undefined, new MemorySessionStore()]) {
  const kind = store === undefined ? "in its cookie" : "in a store";
  Deno.test(`"remember me": cookie.maxAge is the lifetime of one session ${kind}, and of its later changes`, async () => {
    const clock = new StillClock();
    const own = store && new MemorySessionStore({ clock: clock.read });
    const app = rememberingApp({ ...own && { store: own }, clock: clock.read });
    const client = new CookieClient(app);
    const expires = new Date(clock.time + 20 * 24 * HOUR_MS).toISOString();
    assertEquals(await client.json("/login?days=20"), { originalMaxAge: 20 * 24 * HOUR_MS, expires });
    assertMatch(client.setCookies[0]!, /; Max-Age=1728000;/);
    clock.time += 19 * 24 * HOUR_MS;
    assertEquals(await client.json("/read"), { user: "ada" });
    // 11 of the 30 days that a session may last
    await client.text("/set?key=a&value=1");
    assertMatch(client.setCookies[0]!, /; Max-Age=950400;/);
    clock.time += 11 * 24 * HOUR_MS;
    assertEquals(await client.json("/read"), {});
  });
}

Deno.test("cookie.expires = false lets one session's cookie end with the browser", async () => {
  const client = new CookieClient(rememberingApp());
  assertEquals(await client.json("/login"), { originalMaxAge: null, expires: null });
  assert(!/Max-Age|Expires/.test(client.setCookies[0]!), client.setCookies[0]);
  await client.text("/set?key=a&value=1");
  assert(!/Max-Age|Expires/.test(client.setCookies[0]!), client.setCookies[0]);
});

Deno.test("cookie.expires may be a date, and regenerate() forgets what the session before it had", async () => {
  const clock = new StillClock();
  const client = new CookieClient(rememberingApp({ clock: clock.read }));
  await client.text("/set?key=a&value=1");
  assertEquals(await client.json(`/until?time=${clock.time + HOUR_MS}`), HOUR_MS);
  assertMatch(client.setCookies[0]!, /; Max-Age=3600;/);
  await client.text("/regenerate?user=ada");
  assertMatch(client.setCookies[0]!, /; Max-Age=86400;/);
});

Deno.test("a lifetime alone begins no session", async () => {
  const client = new CookieClient(rememberingApp());
  await client.text(`/until?time=${Date.now() + HOUR_MS}`);
  assertEquals(client.setCookies, []);
});

Deno.test("a cookie's lifetime that cannot be is an error, and so are attributes that all sessions share", async () => {
  const app = sessionApp();
  app.get("/errors", (req, res) => {
    const { cookie } = req.session;
    for (const ms of [0, -1, NaN, Infinity, 31 * 24 * HOUR_MS, "3600000"]) {
      assertThrows(
        () => cookie.maxAge = ms as number,
        RangeError,
        "must be from 1 to 2592000000 (absoluteTtlMs)",
      );
    }
    assertThrows(() => cookie.expires = new Date("never"), RangeError, "not NaN");
    // deno-lint-ignore no-explicit-any -- what plain JavaScript may write
    const any = cookie as any;
    const advice = "there is no req.session.cookie.secure; write session({ cookie: { … } }), for all sessions";
    assertThrows(() => any.secure = true, TypeError, advice);
    assertThrows(() => any.secure, TypeError, advice);
    assertThrows(() => any.maxage = 1, TypeError, "maxage");
    res.send("checked");
  });
  assertEquals(await (await app.inject("/errors")).text(), "checked");
});

Deno.test("req.sessionID is the session's id, as in express-session", async () => {
  const app = sessionApp();
  app.get("/same", (req, res) => res.json((req as unknown as SessionExtras).sessionID === req.session.id));
  assertEquals(await new CookieClient(app).json("/same"), true);
});

Deno.test("reload() reads the session from the store again, in place of unsaved changes", async () => {
  const app = sessionApp({ store: new MemorySessionStore() });
  const client = new CookieClient(app);
  app.get("/reload", async (req, res) => {
    const { session } = req as unknown as SessionExtras;
    session.own = "unsaved";
    if (req.query["by"]) await client.text(String(req.query["by"]));
    session.reload((error) => res.json(error?.message ?? req.session));
  });
  await client.text("/set?key=a&value=1");
  assertEquals(await client.json("/reload?by=/set?key=b%26value=2"), { a: "1", b: "2" });
  assertEquals(client.setCookies.length, 0);
  assertEquals(await client.copy().json("/reload?by=/destroy"), "req.session.reload(): the session has ended");
  assertEquals(await new CookieClient(app).json("/reload"), "req.session.reload(): the session has ended");
});

Deno.test("reload() of a session in its cookie says that it needs a store", async () => {
  const app = sessionApp();
  app.get("/reload", (req, res) => req.session.reload((error: Error) => res.send(error.message)));
  assertEquals(await (await app.inject("/reload")).text(), "req.session.reload() needs option store");
});

Deno.test("callbacks of the methods have express-session's types", () => {
  type Methods = SessionExtras["session"];
  const typed = ({ session }: { session: Methods }, next: (error?: unknown) => void): void => {
    void session.regenerate((error) => error ? next(error) : session.save((error: Error | null) => next(error)));
    void session.destroy((error) => console.error(error.message));
  };
  assertEquals(typeof typed, "function");
});

Deno.test("other members of express-session say what to write", async () => {
  const app = sessionApp();
  app.get("/reset", (req, res) => req.session.resetMaxAge() ?? res.end());
  app.use((error: Error, _req: Request, res: Response, _next: unknown) => res.send(error.message));
  assertEquals(
    await (await app.inject("/reset")).text(),
    "there is no req.session.resetMaxAge; write req.session.touch()",
  );
  assertThrows(() => (session as unknown as { MemoryStore: unknown }).MemoryStore, TypeError, "MemorySessionStore");
});

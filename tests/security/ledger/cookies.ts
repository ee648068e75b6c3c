import { csrf } from "@sluice/middleware/csrf";
import type { CookieOptions, FrameworkResponse } from "@sluice/sluice";
import { MemorySessionStore } from "@sluice/middleware/session";
import { assertEquals, assertThrows } from "@std/assert";
import { CookieClient } from "../../../middleware/tests/support/cookie_client.ts";
import { SECRETS, sessionApp, StillClock } from "../../../middleware/tests/support/session_app.ts";
import { ask, quietApp } from "../../support/app.ts";
import type { Theme } from "./flaw.ts";

const [SECRET] = SECRETS;
const HOUR_MS = 3_600_000;

/** Cookies a response sets. */
async function setCookies(set: (res: FrameworkResponse) => void): Promise<string[]> {
  const app = quietApp();
  app.get("/", (_req, res) => {
    set(res);
    res.end();
  });
  return (await ask(app, "/")).headers.getSetCookie();
}

/** Asserts that res.cookie refuses an option's value. */
async function refuses(options: readonly CookieOptions[]): Promise<void> {
  await setCookies((res) => {
    for (const one of options) assertThrows(() => res.cookie("a", "1", one), Error);
  });
}

/** Statuses for POST requests from a cross-origin page, by content type. */
async function crossOrigin(types: readonly (string | undefined)[]): Promise<number[]> {
  const app = quietApp();
  app.use(csrf());
  app.post("/", (_req, res) => res.send("done"));
  const statuses: number[] = [];
  for (const type of types) {
    const headers = new Headers({ origin: "https://evil.example" });
    if (type !== undefined) headers.set("content-type", type);
    const response = await ask(app, "/", { method: "POST", headers, body: new Uint8Array(1) });
    await response.body?.cancel();
    statuses.push(response.status);
  }
  return statuses;
}

/** Cookies, sessions, and requests from other sites that carry them. */
export const cookies: Theme = {
  title: "Cookies and sessions",
  file: "cookies.ts",
  flaws: [
    {
      identifiers: ["CVE-2024-47764", "GHSA-pxg6-pf52-xh8x"],
      package: "cookie",
      flaw: "A name with characters not allowed in a token could set other attributes of the cookie.",
      here: "`res.cookie` throws for a name that is not a token, and encodes values",
      async attack() {
        const names = ["userName=<script>alert(1)</script>; Max-Age=2592000; a", "a;b", "a b", "a=b", "a\r\nb", ""];
        const sent = await setCookies((res) => {
          for (const name of names) assertThrows(() => res.cookie(name, "1"), TypeError);
          res.cookie("a", "1; Domain=evil.example\r\nSet-Cookie: b=2");
        });
        assertEquals(sent, ["a=1%3B%20Domain%3Devil.example%0D%0ASet-Cookie%3A%20b%3D2; Path=/"]);
      },
    },
    {
      identifiers: ["CVE-2026-29086"],
      package: "hono",
      flaw: "A domain or a path with a semicolon or a line break could set other attributes.",
      here: "`res.cookie` throws for a domain or a path with a semicolon or a control character",
      async attack() {
        const ends = ["; HttpOnly", "\r\nSet-Cookie: b=2", "\n", "\0"];
        await refuses(ends.flatMap((end) => [{ domain: `example.com${end}` }, { path: `/${end}` }]));
      },
    },
    {
      identifiers: ["CVE-2026-47675"],
      package: "hono",
      flaw: "`sameSite` and `priority` were copied into the header unchecked.",
      here: "`res.cookie` throws for an unknown `sameSite` or `priority`",
      async attack() {
        const value = "lax; Domain=evil.example" as "lax";
        await refuses([{ sameSite: value }, { priority: value as unknown as "low" }]);
      },
    },
    {
      identifiers: ["CVE-2026-39410"],
      package: "hono",
      flaw: "A non-breaking space was trimmed from names, so another cookie could replace one with a `__Host-` prefix.",
      here: "only spaces and tabs are trimmed from cookie names",
      async attack() {
        const app = quietApp();
        app.get("/", (req, res) => res.json(req.cookies["__Host-id"] ?? null));
        for (const blank of ["\u00a0", "\x85", "\x0b", "\x0c"]) {
          const headers = { cookie: `${blank}__Host-id=evil; other=1` };
          assertEquals(await (await ask(app, "/", { headers })).json(), null);
          const both = { cookie: `__Host-id=mine; ${blank}__Host-id=evil` };
          assertEquals(await (await ask(app, "/", { headers: both })).json(), "mine");
        }
      },
    },
    {
      identifiers: ["CVE-2026-31865"],
      package: "elysia",
      flaw: "A cookie named `__proto__` replaced the values of others.",
      here: "a cookie named `__proto__` changes neither other cookies nor a prototype",
      async attack() {
        const app = quietApp();
        app.get("/", (req, res) => res.json([req.cookies["a"], ({} as Record<string, unknown>)["a"] ?? null]));
        const headers = { cookie: '__proto__=j:{"a":"evil"}; a=mine; constructor=x' };
        assertEquals(await (await ask(app, "/", { headers })).json(), ["mine", null]);
      },
    },
    {
      identifiers: ["CVE-2024-31999", "GHSA-9wwp-q7wq-jx35"],
      package: "@fastify/secure-session",
      flaw: "A copy of a session cookie could be used forever.",
      here: "a sealed session ends at the time inside its cookie, even if the client keeps a copy",
      async attack() {
        const clock = new StillClock();
        const client = new CookieClient(sessionApp({ secret: SECRET, cookie: { maxAge: HOUR_MS }, clock: clock.read }));
        await client.text("/set?key=user&value=ann");
        const thief = client.copy();
        clock.time += HOUR_MS - 1;
        assertEquals(await thief.json("/read"), { user: "ann" });
        clock.time += 2;
        assertEquals(await client.copy().json("/read"), {});
      },
    },
    {
      identifiers: ["CVE-2024-35220", "GHSA-pj27-2xvp-4qxg"],
      package: "@fastify/session",
      flaw: "Reading a stored session extended its expiry, so it never ended.",
      here: "a stored session ends on time even if it is read, and at once when it is destroyed",
      async attack() {
        const clock = new StillClock();
        const store = new MemorySessionStore({ clock: clock.read });
        const client = new CookieClient(
          sessionApp({ secret: SECRET, cookie: { maxAge: HOUR_MS }, clock: clock.read, store }),
        );
        await client.text("/set?key=user&value=ann");
        const thief = client.copy();
        clock.time += HOUR_MS - 1;
        assertEquals(await thief.copy().json("/read"), { user: "ann" });
        clock.time += 2;
        assertEquals(await thief.copy().json("/read"), {});
        await client.text("/set?key=user&value=ann");
        const copy = client.copy();
        await client.text("/destroy");
        assertEquals(await copy.json("/read"), {});
      },
    },
    {
      identifiers: ["CVE-2024-43787", "GHSA-rpfr-3m35-5vx5"],
      package: "hono",
      flaw: "The CSRF middleware checked only requests with a form's content type, and compared it in lower case.",
      here: "`csrf()` refuses requests of another origin, whatever their content type",
      async attack() {
        const types = [
          "application/x-www-form-urlencoded",
          "Application/x-www-form-urlencoded",
          "MULTIPART/form-data; boundary=B",
          "text/plain",
          "application/json",
          undefined,
        ];
        assertEquals(await crossOrigin(types), types.map(() => 403));
      },
    },
  ],
};

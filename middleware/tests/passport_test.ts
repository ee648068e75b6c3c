import sluice from "@sluice/sluice";
import { MemorySessionStore, session, type SessionOptions } from "@sluice/middleware/session";
import { assertEquals, assertNotEquals } from "@std/assert";
import passport from "passport";
import { Strategy } from "passport-local";
import { CookieClient } from "./support/cookie_client.ts";
import { SECRETS } from "./support/session_app.ts";

// deno-lint-ignore no-explicit-any -- typed for Express
type Any = any;

const KINDS: [string, SessionOptions][] = [
  ["sealed", { secret: SECRETS[0] }],
  ["in a store", { store: new MemorySessionStore() }],
];

for (const [kind, options] of KINDS) {
  Deno.test(`passport logs in and out with sessions that are ${kind}`, async () => {
    const authenticator = new passport.Passport();
    authenticator.use(
      new Strategy((name: string, password: string, done: Any) => {
        return done(null, password === "right" ? { name } : false);
      }),
    );
    authenticator.serializeUser((user: Any, done: Any) => done(null, user.name));
    authenticator.deserializeUser((name: Any, done: Any) => done(null, { name }));
    const app = sluice().set("env", "test");
    app.use(session(options), sluice.urlencoded(), authenticator.session() as Any);
    app.get("/", (req, res) => res.json(req.user ?? null));
    app.get("/cart", (req, res) => res.json(req.session.cart = "full"));
    app.post("/login", authenticator.authenticate("local") as Any, (req: Any, res: Any) => res.json(req.session.id));
    app.post("/logout", (req: Any, res: Any, next: Any) => {
      req.logout((failed?: unknown) => failed ? next(failed) : res.json("bye"));
    });
    const client = new CookieClient(app);
    await client.text("/cart");
    const login = (password: string) => {
      return client.ask("/login", { method: "POST", body: new URLSearchParams({ username: "ada", password }) });
    };
    const wrong = await login("wrong");
    assertEquals([wrong.status, await wrong.text(), await client.json("/")], [401, "Unauthorized", null]);
    const before = client.copy();
    const right = await login("right");
    assertEquals(right.status, 200);
    assertNotEquals(await right.json(), undefined);
    assertEquals([await client.json("/"), await before.json("/")], [{ name: "ada" }, null]);
    assertEquals(await client.json("/logout", { method: "POST" }), "bye");
    assertEquals(await client.json("/"), null);
  });
}

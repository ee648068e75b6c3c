/** Accounts with better-auth. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Ask, type Chapter, chapter } from "../../../contracts/case.ts";
import { LOGIN } from "../setting.ts";

const PASSWORD = "correct horse battery";

interface Sent {
  readonly cookie?: string;
  readonly origin?: string;
}

async function post(ask: Ask, path: string, body: unknown, { cookie, origin = LOGIN }: Sent = {}): Promise<Response> {
  return await ask(`/accounts${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin, ...cookie !== undefined && { cookie } },
    body: JSON.stringify(body),
  });
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

function cookieOf({ headers }: Response): string {
  return headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ");
}

async function me(ask: Ask, cookie: string): Promise<readonly [status: number, text: string]> {
  const response = await ask("/accounts/me", { headers: { cookie } });
  return [response.status, response.status === 200 ? await response.text() : (await response.body?.cancel(), "")];
}

/** Creates an account, and returns its email address and cookie. */
async function account(ask: Ask, flag: string, more: object = {}): Promise<{ email: string; response: Response }> {
  const email = `${flag}@x.test`;
  return {
    email,
    response: await post(ask, "/api/auth/sign-up/email", { email, password: PASSWORD, name: flag, ...more }),
  };
}

const ANN = [200, /^\{"name":"flag\d+"\}$/] as const;

export const accounts: Chapter = chapter("accounts", (it) => {
  it("who signs up is signed in, out after signing out, and in again with the password", async ({ ask, flag }) => {
    const { email, response } = await account(ask, flag);
    assertEquals(response.status, 200);
    const [set] = response.headers.getSetCookie();
    for (const attribute of ["__Secure-", "; HttpOnly", "; Secure", "; SameSite=Lax"]) {
      assert(set!.includes(attribute), set);
    }
    const first = cookieOf(response);
    const [status, text] = await me(ask, first);
    assertEquals(status, ANN[0]);
    assertMatch(text, ANN[1]);
    assertEquals((await post(ask, "/notes", { text: "hello" }, { cookie: first })).status, 201);
    assertEquals(await statusOf(post(ask, "/api/auth/sign-out", {}, { cookie: first })), 200);
    // the session is also deleted on the server
    assertEquals((await me(ask, first))[0], 401);
    const again = await post(ask, "/api/auth/sign-in/email", { email, password: PASSWORD });
    assertEquals([again.status, (await me(ask, cookieOf(again)))[0]], [200, 200]);
  });

  it("a wrong password and an unknown address get the same response", async ({ ask, flag }) => {
    const { email } = await account(ask, flag);
    const seen = [];
    for (const wrong of [{ email, password: `${PASSWORD}!` }, { email: `nobody-${email}`, password: PASSWORD }]) {
      const response = await post(ask, "/api/auth/sign-in/email", wrong);
      seen.push([response.status, await response.text(), response.headers.getSetCookie()]);
    }
    assertEquals(seen[0]![0], 401);
    assertEquals(seen[0], seen[1]);
    const short = { email: `short-${email}`, password: "short", name: "a" };
    assertEquals(await statusOf(post(ask, "/api/auth/sign-up/email", short)), 400);
  });

  it("nobody signs up as more than a user", async ({ ask, flag }) => {
    const { response } = await account(ask, flag, { emailVerified: true, role: "admin", id: "1" });
    const { user } = await response.json();
    assertEquals([user.emailVerified, user.role, user.id === "1"], [false, undefined, false]);
  });

  it("cookies that were not given are worth nothing", async ({ ask, flag }) => {
    const cookie = cookieOf((await account(ask, flag)).response);
    const [name, value] = cookie.split(/=(.*)/) as [string, string];
    const [token, signature] = decodeURIComponent(value).split(".") as [string, string];
    const forged = [
      `${name}=${token}`,
      `${name}=${token}.`,
      `${name}=${encodeURIComponent(`${token}x.${signature}`)}`,
      `${name}=${encodeURIComponent(`${token}.${signature.replace(/^./, (first) => first === "A" ? "B" : "A")}`)}`,
      `${name.replace("__Secure-", "")}=${value}`,
      `${name}=; session=1`,
      "",
    ];
    for (const one of forged) assertEquals((await me(ask, one))[0], 401, one);
    assertEquals((await me(ask, cookie))[0], 200);
    assertEquals(await statusOf(ask("/accounts/me", { headers: { authorization: `Bearer ${token}` } })), 401);
  });

  it("pages of other origins can neither log in nor write, and a login leads to no other site", async ({ ask, flag }) => {
    const { email, response } = await account(ask, flag);
    const cookie = cookieOf(response);
    const login = { email, password: PASSWORD };
    for (const origin of ["https://evil.test", `${LOGIN}.evil.test`, "null"]) {
      assertEquals(await statusOf(post(ask, "/api/auth/sign-in/email", login, { origin, cookie })), 403, origin);
      assertEquals(await statusOf(post(ask, "/api/auth/sign-out", {}, { origin, cookie })), 403, origin);
      assertEquals(await statusOf(post(ask, "/notes", { text: "x" }, { origin, cookie })), 403, origin);
    }
    for (const callbackURL of ["https://evil.test/", "//evil.test/", "/\\evil.test", "javascript:alert(1)"]) {
      assertEquals(await statusOf(post(ask, "/api/auth/sign-in/email", { ...login, callbackURL })), 403, callbackURL);
    }
    assertEquals((await me(ask, cookie))[0], 200);
  });

  it("guessing passwords is limited, also by other spellings and pretended addresses", async ({ ask }) => {
    const body = JSON.stringify({ email: "nobody@x.test", password: PASSWORD });
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const headers = { "content-type": "application/json", origin: LOGIN, "x-forwarded-for": `192.0.2.${i}` };
      statuses.add(await statusOf(ask("/accounts/api/auth/sign-in/email", { method: "POST", headers, body })));
      if (statuses.has(429)) break;
    }
    assert(statuses.has(429), [...statuses].join());
    for (const path of ["/api/auth/sign-in/email/", "/api/auth//sign-in/email", "/API/auth/sign-in/email"]) {
      assertEquals(await statusOf(post(ask, path, {})) === 401, false, path);
    }
  });
});

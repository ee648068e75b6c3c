/** Sends the same requests to csrf-csrf on real Express and to this package's middleware. */
import cookieParser from "cookie-parser";
import { doubleCsrf } from "csrf-csrf";
import sluice from "@sluice/sluice";
import { csrf } from "@sluice/middleware/csrf";
import { assert, assertEquals } from "@std/assert";
import { type Any, serveBoth } from "../../tests/support/sluice_and_express.ts";
import { CookieClient } from "./support/cookie_client.ts";
import { SECRETS } from "./support/session_app.ts";

const secret = SECRETS[0];

function build(app: Any, lib: Any): void {
  app.use(lib.json());
  if (lib === sluice) app.use(csrf({ token: { secret } }));
  else {
    const { generateCsrfToken, doubleCsrfProtection } = doubleCsrf({
      getSecret: () => secret,
      getSessionIdentifier: () => "",
      cookieName: "csrf",
      cookieOptions: { secure: false },
      getCsrfTokenFromRequest: (req: Any) => req.headers["x-csrf-token"] ?? req.body?._csrf,
    });
    app.use(cookieParser());
    app.use((req: Any, res: Any, next: Any) => {
      req.csrfToken = () => generateCsrfToken(req, res);
      next();
    });
    app.use(doubleCsrfProtection);
  }
  app.get("/token", (req: Any, res: Any) => res.send(req.csrfToken()));
  app.all("/", (_req: Any, res: Any) => res.send("done"));
  app.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(error.status).send(error.code));
}

Deno.test("tokens are accepted and refused as with csrf-csrf", async () => {
  const [ours, theirs] = await serveBoth(build, async (origin) => {
    const asked = { inject: (target: string, init?: RequestInit) => fetch(target, init) };
    // without a cookie, ours treats a client as a non-browser and requires no token
    const clients = ["one", "two"].map((id) => new CookieClient(asked, origin, [["sid", id]]));
    const [client, other] = clients as [CookieClient, CookieClient];
    const seen: unknown[] = [];
    const ask = async (from: CookieClient, method: string, headers: Record<string, string> = {}, body?: unknown) => {
      const json = body === undefined ? {} : { "content-type": "application/json" };
      const response = await from.ask("/", {
        method,
        headers: { ...headers, ...json },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      seen.push([method, response.status, await response.text()]);
    };
    const stranger = new CookieClient(asked, origin, [["sid", "three"]]);
    const token = await client.text("/token");
    seen.push(client.setCookies.length, client.cookies.has("csrf"));
    const others = await other.text("/token");
    for (const method of ["GET", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]) {
      await ask(client, method);
      await ask(client, method, { "x-csrf-token": token });
      await ask(client, method, { "x-csrf-token": others });
      await ask(stranger, method, { "x-csrf-token": token });
    }
    await ask(client, "POST", {}, { _csrf: token });
    await ask(client, "POST", {}, { _csrf: others });
    await ask(client, "POST", {}, { _csrf: [token] });
    await ask(client, "POST", {}, {});
    for (const forged of ["", "x", token.slice(1), token.slice(0, -2), `${token}x`, `x${token}`]) {
      await ask(client, "POST", { "x-csrf-token": forged });
    }
    const cookie = client.cookies.get("csrf")!;
    for (const forged of ["", "x", cookie.slice(1), cookie.slice(0, -2), `${cookie}x`, other.cookies.get("csrf")!]) {
      await ask(new CookieClient(asked, origin, [["csrf", forged]]), "POST", { "x-csrf-token": token });
    }
    return seen;
  });
  assertEquals(ours, theirs);
  assert(ours.some((one) => JSON.stringify(one) === '["POST",403,"EBADCSRFTOKEN"]'));
  assert(ours.some((one) => JSON.stringify(one) === '["POST",200,"done"]'));
});

/** An API for pages from some origins. */
import { assertEquals } from "@std/assert";
import { type Ask, type Chapter, chapter } from "../../../contracts/case.ts";
import { PAGE } from "../setting.ts";

/** Origins that look like the allowed one. */
const OTHERS = [
  "https://evil.test",
  `${PAGE}.evil.test`,
  "https://evil-app.test",
  "https://sub.app.test",
  "http://app.test",
  `${PAGE}:8443`,
  "https://app.test@evil.test",
  "https://appxtest",
  "null",
];

const READING = ["access-control-allow-origin", "access-control-allow-credentials"];

async function seen(ask: Ask, path: string, init: RequestInit, ...names: string[]): Promise<unknown[]> {
  const response = await ask(`/cors${path}`, init);
  await response.body?.cancel();
  return [response.status, ...names.map((name) => response.headers.get(name))];
}

function preflight(origin: string): RequestInit {
  const headers = { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
  return { method: "OPTIONS", headers };
}

function paying(origin: string, type = "application/json", more: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { origin, "content-type": type, ...more }, body: '{"amount":5}' };
}

export const cors: Chapter = chapter("CORS", (it) => {
  it("pages that are listed ask first, and read what they get, errors too", async ({ ask }) => {
    const asked = ["access-control-allow-headers", "access-control-max-age", "vary"];
    assertEquals(await seen(ask, "/account", preflight(PAGE), ...READING, ...asked), [
      204,
      PAGE,
      "true",
      "content-type",
      "600",
      "Origin, Access-Control-Request-Headers",
    ]);
    for (const [path, status, vary] of [["/account", 200, "Origin"], ["/missing", 404, "Origin, Accept"]] as const) {
      const init = { headers: { origin: PAGE } };
      assertEquals(await seen(ask, path, init, ...READING, "vary"), [status, PAGE, "true", vary]);
    }
    assertEquals(await seen(ask, "/account", paying(PAGE), ...READING), [200, PAGE, "true"]);
  });

  it("pages of other origins may not read, and a cache does not mix them up", async ({ ask }) => {
    for (const origin of OTHERS) {
      const [, allowed] = await seen(ask, "/account", preflight(origin), ...READING);
      assertEquals(allowed, null, origin);
      const read = await seen(ask, "/account", { headers: { origin } }, READING[0]!, "vary");
      assertEquals(read, [200, null, "Origin"], origin);
    }
  });

  it("nor may they change anything, also where browsers do not ask first", async ({ ask }) => {
    for (const origin of OTHERS) {
      for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
        const headers = { cookie: "session=1", "sec-fetch-site": "cross-site" };
        assertEquals((await seen(ask, "/account", paying(origin, type, headers)))[0], 403, `${origin} ${type}`);
        assertEquals((await seen(ask, "/account", paying(origin, type)))[0], 403, `${origin} ${type}`);
      }
    }
  });

  it("programs, which are no pages, need no origin", async ({ ask }) => {
    const headers = { "content-type": "application/json" };
    assertEquals(await seen(ask, "/account", { method: "POST", headers, body: '{"amount":5}' }), [200]);
  });
});

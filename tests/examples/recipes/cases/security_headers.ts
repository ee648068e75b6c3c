/** Helmet's headers. */
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { type Chapter, chapter } from "../../../contracts/case.ts";

/** Headers that helmet 8 sets, besides the policy. */
const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "DENY",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};

/** A policy's directives. */
function policyOf({ headers }: Response): Record<string, string> {
  const directives = headers.get("content-security-policy")!.split(";").map((one) => one.split(/ (.*)/));
  return Object.fromEntries(directives.map(([name, value]) => [name, value ?? ""]));
}

export const securityHeaders: Chapter = chapter("security headers", (it) => {
  it("pages and errors have all of them, and not whose server it is", async ({ ask }) => {
    for (const [path, status] of [["/", 200], ["/missing", 404]] as const) {
      const response = await ask(`/headers${path}`);
      await response.body?.cancel();
      assertEquals(response.status, status);
      for (const [name, value] of Object.entries(HEADERS)) assertEquals(response.headers.get(name), value, path + name);
      assertEquals(response.headers.get("x-powered-by"), null);
      const { "script-src": scripts, ...policy } = policyOf(response);
      // like Express's, an error page loads nothing at all
      if (status !== 200) {
        assertEquals([scripts, policy], [undefined, { "default-src": "'none'" }], path);
        continue;
      }
      assertEquals(policy, {
        "default-src": "'self'",
        "base-uri": "'self'",
        "font-src": "'self' https: data:",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "script-src-attr": "'none'",
        "style-src": "'self' https: 'unsafe-inline'",
        "upgrade-insecure-requests": "",
      });
    }
  });

  it("the script of a page has the nonce of its policy, which no other response has", async ({ ask }) => {
    const nonces = await Promise.all([1, 2].map(async () => {
      const response = await ask("/headers/");
      const [, nonce] = /<script nonce="([^"]+)">/.exec(await response.text())!;
      assertEquals(policyOf(response)["script-src"], `'self' 'nonce-${nonce}'`);
      assertMatch(nonce!, /^[\w+/]{22}==$/);
      assertEquals(response.headers.get("cache-control"), "no-store");
      return nonce;
    }));
    assertNotEquals(nonces[0], nonces[1]);
  });
});

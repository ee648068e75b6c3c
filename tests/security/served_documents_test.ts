/** Pages and documents from the packages have their declared type, even in browsers that sniff. */
import { dashboard } from "@sluice/rate-limit/dashboard";
import { rateLimit } from "@sluice/rate-limit";
import { health } from "@sluice/middleware/health";
import { metrics } from "@sluice/middleware/metrics";
import { openapiPages } from "@sluice/openapi/pages";
import { assertEquals } from "@std/assert";
import { quietApp } from "../support/app.ts";

Deno.test("every page and document of health, metrics, openapi and the dashboard has nosniff", async () => {
  const app = quietApp();
  const api = rateLimit({ name: "api" });
  app.use(health({ checks: { broken: () => false } }));
  app.get("/metrics", metrics().page);
  app.use("/docs", openapiPages(app, { title: "<script>", version: "1" }));
  app.use("/bare", openapiPages(app, { title: "x", version: "1" }, { viewer: () => "/nowhere" }));
  app.use("/limits", dashboard({ limiters: { api }, authorize: (req) => req.get("x-admin") === "yes" }));
  app.use("/secret", dashboard({ limiters: { api }, secret: "s".repeat(32) }));
  const admin = { "x-admin": "yes" };
  const requests: [target: string, status: number, init?: RequestInit][] = [
    ["/livez", 200],
    ["/readyz", 503],
    ["/metrics", 200],
    ["/docs", 302],
    ["/docs/", 200],
    ["/docs/openapi.json", 200],
    ["/docs/openapi.json", 200, { method: "HEAD" }],
    ["/docs/pages.js", 200],
    ["/docs/swagger-ui.css", 200],
    ["/bare/openapi.json", 200],
    ["/limits", 200, { headers: admin }],
    ["/limits?data", 200, { headers: admin }],
    ["/limits?data", 403],
    ["/limits?data", 403, { headers: { ...admin, host: "evil.example" } }],
    ["/limits", 405, { headers: admin, method: "PUT" }],
    ["/limits", 403, { headers: admin, method: "POST" }],
    ["/secret", 401],
  ];
  for (const [target, status, init] of requests) {
    const response = await app.inject(target, { redirect: "manual", ...init });
    await response.body?.cancel();
    const said = [response.status, response.headers.get("x-content-type-options")];
    assertEquals(said, [status, "nosniff"], `${target} ${JSON.stringify(init)}`);
  }
});

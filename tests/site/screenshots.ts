/**
 * `deno task docs:screenshots`: takes the documentation's committed screenshots in Chromium: the dashboard for a
 * limiter with traffic, and the simulator's report on the documentation's log.
 */
import { dashboard } from "@sluice/rate-limit/dashboard";
import { rateLimit } from "@sluice/rate-limit";
import sluice from "@sluice/sluice";
import type { Page } from "playwright-core";
import { exampleLog } from "../../advanced/tests/support/example_log.ts";
import { simulate } from "../../advanced/tests/support/simulate_command.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";

const DOCS = new URL("../../docs/", import.meta.url);
/** How long the dashboard is open, in s. */
const SECONDS = 20;
const POLICIES = "policies: [{ name: api, routes: [/api/*], algorithm: sliding-window, window: 1m, limit: 30 }]";

const executablePath = await findChromium();
if (executablePath === undefined) throw new Error("there is no Chromium, and apt-get could not install it");
const browser = await launchBrowser(executablePath);
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 600 }, colorScheme: "light" });
  const log = { "access.log": exampleLog(), "policies.yaml": POLICIES };
  const report = await simulate(log, ["access.log", "--policy", "policies.yaml", "--html", "page.html", "--top", "5"]);
  await page.setContent(report.page);
  await keep(page, "what-if.png");
  await watchDashboard(page);
} finally {
  await browser.close();
}

async function keep(page: Page, name: string): Promise<void> {
  await Deno.writeFile(new URL(name, DOCS), await page.screenshot({ fullPage: true }));
}

/** Clients: most within the limit, some slightly above it, and one far above. */
async function watchDashboard(page: Page): Promise<void> {
  const limit = rateLimit({ name: "api", algorithm: "sliding-window", limit: 20, windowMs: 10_000 });
  const app = sluice();
  app.use("/limits", dashboard({ limiters: { api: limit }, authorize: () => true }));
  await serving(app, async (origin) => {
    await page.goto(`${origin}/limits`);
    for (let second = 0; second < SECONDS; second++) {
      for (let client = 1; client <= 12; client++) {
        const times = client === 1 ? 9 : client < 4 ? 3 : second % client === 0 ? 2 : 0;
        for (let i = 0; i < times; i++) await limit.limiter.consume(`203.0.113.${client}`);
      }
      await page.waitForTimeout(1000);
    }
    await keep(page, "dashboard.png");
  });
}

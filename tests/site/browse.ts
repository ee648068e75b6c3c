/**
 * Opens every documentation page in Chromium, wide and narrow, light and dark. No page may report an error, send a
 * request to a different host, or be wider than the window. `--pictures=/folder` saves pictures of some pages.
 */
import type { Browser, Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { buildSite } from "../../scripts/site/build_site.ts";
import { builtPages } from "../../scripts/site/links.ts";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";
import { siteApp } from "./support/serve_site.ts";

const WIDTHS = [1280, 380] as const;
const SCHEMES = ["light", "dark"] as const;
const PICTURES = Deno.args.find((arg) => arg.startsWith("--pictures="))?.slice("--pictures=".length);
const PICTURED: Readonly<Record<string, string>> = {
  "/": "first",
  "/websockets": "guide",
  "/reference/sluice/middleware": "reference",
};

const executablePath = await findChromium();
if (executablePath === undefined) throw new Error("there is no Chromium, and apt-get could not install it");
const { dist } = await buildSite(new URL("../../.cache/site/", import.meta.url));
const pages = await builtPages(dist);
const browser = await launchBrowser(executablePath);
const problems: string[] = [];
try {
  await serving(siteApp(dist), async (origin) => {
    for (const width of WIDTHS) {
      for (const scheme of SCHEMES) problems.push(...await look(browser, origin, width, scheme));
    }
  });
} finally {
  await browser.close();
}
console.log(problems.join("\n"));
console.log(`${pages.length} pages, each ${WIDTHS.length * SCHEMES.length} times: ${problems.length} problems`);
Deno.exit(problems.length === 0 ? 0 : 1);

async function look(
  browser: Browser,
  origin: string,
  width: number,
  scheme: typeof SCHEMES[number],
): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const found: string[] = [];
  const report = (problem: string) => found.push(`${new URL(page.url()).pathname} (${width}, ${scheme}): ${problem}`);
  page.on("pageerror", (error) => report(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) report(`${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) report(`asks for ${request.url()}`);
  });
  for (const { url } of pages) {
    const response = await page.goto(origin + url, { waitUntil: "load" });
    if (response?.status() !== 200) report(`status ${response?.status()}`);
    // the page's program has run
    await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
    const [inner, scroll, isDark] = await page.evaluate(
      "[innerWidth, document.documentElement.scrollWidth, document.documentElement.classList.contains('dark')]",
    ) as [number, number, boolean];
    if (scroll > inner) report(`${scroll} pixels wide`);
    if (isDark !== (scheme === "dark")) report(`is ${isDark ? "dark" : "light"}`);
    const name = PICTURED[url];
    if (PICTURES !== undefined && name !== undefined) {
      await page.screenshot({ path: `${PICTURES}/site-${name}-${width}-${scheme}.png` });
    }
  }
  await searches(page, report);
  await context.close();
  return found;
}

/** Search needs no other host. */
async function searches(page: Page, report: (problem: string) => void): Promise<void> {
  await page.click(".VPNavBarSearch button");
  await page.fill("#localsearch-input", "rateLimit");
  const found = page.locator("#localsearch-list a");
  await found.first().waitFor();
  if (!(await found.allTextContents()).some((text) => text.includes("rateLimit"))) report("does not find rateLimit");
}

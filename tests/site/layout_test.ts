/** No page hides anything, wide or narrow: code blocks are as wide as their column, and tables scroll by themselves. */
import { assert, assertEquals } from "@std/assert";
import { builtSite } from "../../scripts/site/shared_site.ts";
import { builtPages } from "../../scripts/site/links.ts";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";
import { siteApp } from "./support/serve_site.ts";

const ignore = !Deno.env.has("CHROMIUM_PATH");
const WIDTHS = [1280, 380];

/** Finds elements wider than the page allows. Runs in the page. */
const MEASURE = `(() => {
  // what is folded is measured, too
  for (const details of document.querySelectorAll("details")) details.open = true;
  const blocks = [...document.querySelectorAll(".vp-doc [class*='language-']")];
  for (const block of blocks) block.style.display = "block";
  const wide = blocks.filter((block) => {
    const code = block.querySelector("pre");
    return code.scrollWidth > code.clientWidth || block.getBoundingClientRect().right > innerWidth;
  });
  const column = document.querySelector(".vp-doc").getBoundingClientRect().right;
  const tables = [...document.querySelectorAll(".vp-doc table")];
  const spilling = tables.filter((table) => table.getBoundingClientRect().right > column + 1);
  return {
    blocks: blocks.length,
    tables: tables.length,
    page: document.documentElement.scrollWidth,
    wide: [...wide, ...spilling].map((one) => one.textContent.trim().slice(0, 60)),
  };
})()`;

interface Measured {
  readonly blocks: number;
  readonly tables: number;
  readonly page: number;
  readonly wide: readonly string[];
}

Deno.test("no block of code and no table is wider than its column, on any page", { ignore }, async () => {
  const { dist } = await builtSite();
  const pages = await builtPages(dist);
  const browser = await launchBrowser();
  const problems: string[] = [];
  const seen = { blocks: 0, tables: 0 };
  try {
    await serving(siteApp(dist), async (origin) => {
      // pages are measured as built: their programs do not change the layout
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      for (const { url } of pages) {
        await page.goto(origin + url, { waitUntil: "load" });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          const measured = await page.evaluate(MEASURE) as Measured;
          seen.blocks += measured.blocks;
          seen.tables += measured.tables;
          if (measured.page > width) problems.push(`${url} is ${measured.page} pixels wide at ${width}`);
          for (const text of measured.wide) problems.push(`${url}, at ${width}: ${text}`);
        }
      }
    });
  } finally {
    await browser.close();
  }
  console.log(`${pages.length} pages, ${seen.blocks} blocks, ${seen.tables} tables`);
  assert(seen.blocks > 1000 && seen.tables > 100);
  assertEquals(problems, []);
});

/** Readers' search terms, and the page they should find. */
const SEARCHES: Readonly<Record<string, RegExp>> = {
  "upload file": /^\/guide\/bodies-and-uploads/,
  "rate limit": /^\/guide\/rate-limiting/,
  "websocket": /^\/websockets/,
  "session": /^\/guide\/cookies-and-sessions/,
  "cors": /^\/(?:guide\/middleware|recipes)/,
  // a symbol's name, not a word
  "rateLimit": /^\/reference\/.+#rateLimit$/,
};

Deno.test(
  "the search finds guides before the reference, unless a symbol is named, and tabs are remembered",
  { ignore },
  async () => {
    const { dist } = await builtSite();
    const browser = await launchBrowser();
    try {
      await serving(siteApp(dist), async (origin) => {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        await page.goto(`${origin}/`);
        await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
        await page.click(".VPNavBarSearch button");
        for (const [words, expected] of Object.entries(SEARCHES)) {
          await page.fill("#localsearch-input", "");
          await page.locator("#localsearch-list a").first().waitFor({ state: "detached" });
          await page.fill("#localsearch-input", words);
          const first = page.locator("#localsearch-list a").first();
          await first.waitFor();
          const href = await first.getAttribute("href") ?? "";
          assert(expected.test(href), `"${words}" finds ${href} first`);
        }
        await page.goto(`${origin}/tutorial/1-routes`);
        await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
        await page.locator(".vp-code-group label", { hasText: "Bun" }).first().click();
        const shown = () => page.locator(".vp-code-group .blocks > .active").allTextContents();
        assertEquals((await shown()).map((text) => text.includes("bun ")), [true, true]);
        await page.goto(`${origin}/tutorial/3-storage`);
        await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
        assertEquals((await shown()).map((text) => text.includes("bun ")), [true, true]);
      });
    } finally {
      await browser.close();
    }
  },
);

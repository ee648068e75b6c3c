import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeDemo } from "../../examples/demo/app.ts";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";

// the browser's connections briefly outlive a test
const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test("in a real browser the live page draws admitted and limited requests", options, async () => {
  const browser = await launchBrowser();
  try {
    await serving(makeDemo(), async (origin) => {
      const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        // the page is meant to show 429s, and its last request does not fail
        if (message.type() === "error" && !/429|404/.test(message.text())) problems.push(message.text());
      });
      await page.goto(`${origin}/live`);
      // three of its own requests, so there is something to see from the first second
      await page.waitForFunction('document.querySelectorAll("#blocks rect").length === 3');
      assertEquals(await page.textContent("#left"), "7");
      await page.click("#many");
      await page.waitForFunction('document.querySelectorAll("#blocks rect").length === 18');
      await page.waitForFunction('document.getElementById("left").textContent === "0"');
      assertMatch(await page.textContent("#resets") ?? "", /^· starts again in (?:10|\d) s$/);
      const seen = await page.evaluate(
        `["admitted", "limited"].map((kind) => [
          document.getElementById(kind).textContent,
          document.querySelectorAll("#blocks ." + kind).length,
          getComputedStyle(document.querySelector("#blocks ." + kind)).fill,
        ])`,
      );
      assertEquals(seen, [["10", 10, "rgb(26, 127, 78)"], ["8", 8, "rgb(194, 56, 46)"]]);
      await Deno.mkdir(".cache/screenshots", { recursive: true });
      const picture = await page.screenshot({ path: ".cache/screenshots/live.png" });
      assert(picture.byteLength > 5000);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [1280, 380]) {
          await page.setViewportSize({ width, height: 900 });
          assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width);
          await page.screenshot({ path: `.cache/screenshots/live-${width}-${colorScheme}.png` });
        }
      }
      await page.goto(`${origin}/`);
      await page.fill("#text", "from the browser");
      await page.click("button");
      await page.waitForSelector("li:has-text('from the browser')");
      await page.screenshot({ path: ".cache/screenshots/home.png" });
      await page.goto(`${origin}/nowhere`);
      const link = await page.evaluate(`getComputedStyle(document.querySelector("main a")).color`);
      assertEquals(link, "rgb(92, 193, 211)"); // the water color in dark mode
      await page.screenshot({ path: ".cache/screenshots/missing.png" });
      assertEquals(problems, []);
      await page.close();
    });
  } finally {
    await browser.close();
  }
});

for (const [width, height] of [[1280, 900], [380, 800]] as const) {
  Deno.test(
    `in a real browser the pages of the demo's API show and try it, ${width} pixels wide`,
    options,
    async () => {
      const browser = await launchBrowser();
      try {
        await serving(makeDemo().set("env", "test"), async (origin) => {
          const page = await browser.newPage({ viewport: { width, height } });
          const problems: string[] = [];
          page.on("pageerror", (error) => problems.push(error.message));
          page.on("console", (message) => {
            if (["error", "warning"].includes(message.type())) problems.push(message.text());
          });
          await page.goto(`${origin}/`);
          await page.screenshot({ path: `.cache/screenshots/demo-home-${width}.png` });
          await page.click("nav >> text=API");
          await page.waitForSelector(".opblock-summary");
          assertEquals([page.url(), await page.title()], [`${origin}/docs/`, "Notes"]);
          assertEquals(await page.locator(".opblock").count(), 4);
          await page.click(".opblock-post .opblock-summary-control");
          await page.click("text=Try it out");
          await page.fill(".opblock-post textarea", '{ "text": "from the pages" }');
          await page.click("text=Execute");
          await page.waitForSelector(".live-responses-table :text('from the pages')");
          await page.screenshot({ path: `.cache/screenshots/demo-docs-${width}.png`, fullPage: true });
          const [inner, scroll] = await page.evaluate("[innerWidth, document.documentElement.scrollWidth]") as number[];
          assertEquals(scroll! <= inner!, true, `${scroll} of ${inner}`);
          await page.goto(`${origin}/`);
          await page.waitForSelector("li:has-text('from the pages')");
          assertEquals(problems, []);
          await page.close();
        });
      } finally {
        await browser.close();
      }
    },
  );
}

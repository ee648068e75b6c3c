import { assertEquals } from "@std/assert";
import { chromium } from "playwright-core";
import { makeDemo } from "../../examples/demo/app.ts";
import { serving } from "../support/app.ts";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// the browser's connections briefly outlive a test
const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test("in a real browser the live page draws admitted and limited requests", options, async () => {
  const executablePath = Deno.env.get("CHROMIUM_PATH")!;
  const browser = await chromium.launch({ executablePath, args: ARGS });
  try {
    await serving(makeDemo(), async (origin) => {
      const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        // the page is meant to show 429s
        if (message.type() === "error" && !message.text().includes("429")) problems.push(message.text());
      });
      await page.goto(`${origin}/live`);
      await page.waitForFunction('document.getElementById("state").textContent === "connected"');
      await page.click("#many");
      await page.waitForFunction('document.querySelectorAll("#chart rect").length === 15');
      const seen = await page.evaluate(
        `["admitted", "limited"].map((kind) => [
          document.getElementById(kind).textContent,
          document.querySelectorAll("#chart ." + kind).length,
          getComputedStyle(document.querySelector("#chart ." + kind)).fill,
        ])`,
      );
      assertEquals(seen, [["10", 10, "rgb(26, 127, 78)"], ["5", 5, "rgb(194, 56, 46)"]]);
      await Deno.mkdir(".cache/screenshots", { recursive: true });
      const picture = await page.screenshot({ path: ".cache/screenshots/live.png" });
      assertEquals(picture.byteLength > 5000, true);
      await page.goto(`${origin}/`);
      await page.fill("#text", "from the browser");
      await page.click("button");
      await page.waitForSelector("li:has-text('from the browser')");
      await page.screenshot({ path: ".cache/screenshots/home.png" });
      assertEquals(problems, []);
      await page.close();
    });
  } finally {
    await browser.close();
  }
});

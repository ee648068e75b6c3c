import { assert, assertEquals } from "@std/assert";
import { exampleLog } from "../../advanced/tests/support/example_log.ts";
import { launchBrowser } from "../support/browser.ts";
import { simulate } from "../../advanced/tests/support/simulate_command.ts";

const POLICIES = `
policies:
  - { name: "<img src=x onerror=alert(1)>", limit: 30, window: 1m, algorithm: sliding-window }
  - { name: month, limit: 500, window: { every: month, timeZone: Europe/Berlin }, shadow: true }
`;

// the browser's connections briefly outlive a test
const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test("in a real browser the report of a simulation is a page that needs nothing else", options, async () => {
  const { page: html, code } = await simulate(
    { "access.log": exampleLog(), "p.yaml": POLICIES },
    ["access.log", "--policy", "p.yaml", "--html", "page.html"],
  );
  assertEquals(code, 0);
  const browser = await launchBrowser();
  try {
    for (const [width, colorScheme] of [[1280, "light"], [380, "dark"]] as const) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("dialog", (dialog) => problems.push(dialog.message()));
      page.on("console", (message) => problems.push(message.text()));
      page.on("request", (request) => problems.push(`asks for ${request.url()}`));
      await page.setContent(html);
      assertEquals(
        await page.locator("h2").first().textContent(),
        "<img src=x onerror=alert(1)>: 30 in 1m, sliding-window",
      );
      assert(await page.locator("svg rect").count() > 100);
      assertEquals(await page.getByText("203.0.113.9").count() > 0, true);
      const [inner, scroll] = await page.evaluate("[innerWidth, document.documentElement.scrollWidth]") as number[];
      assert(scroll! <= inner!, `${scroll} of ${inner} pixels at ${width}`);
      assertEquals(problems, []);
      await Deno.mkdir(".cache/screenshots", { recursive: true });
      await page.screenshot({ path: `.cache/screenshots/simulation-${width}.png`, fullPage: true });
      await page.close();
    }
  } finally {
    await browser.close();
  }
});

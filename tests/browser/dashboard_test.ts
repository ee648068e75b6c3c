import { assert, assertEquals, assertMatch } from "@std/assert";
import { dashboard } from "@sluice/rate-limit/dashboard";
import { Limiter, MemoryStore, rateLimit } from "@sluice/rate-limit";
import { FaultyStore, VirtualClock } from "@sluice/rate-limit/testing";
import sluice from "@sluice/sluice";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";

// the browser's connections briefly outlive a test
const options = { sanitizeOps: false, sanitizeResources: false };

const EVIL = "<img src=x onerror=alert(1)></script>\u202e";

for (const [width, height, colorScheme] of [[1280, 900, "light"], [380, 800, "dark"]] as const) {
  Deno.test(
    `in a real browser the dashboard shows and resets who is limited, ${width} pixels wide`,
    options,
    async () => {
      const clock = new VirtualClock();
      const store = new FaultyStore(new MemoryStore({ clock: clock.read }));
      const api = rateLimit({ name: "per-user", limit: 3, keyGenerator: (req) => req.query.user });
      const jobs = new Limiter({
        limits: [
          { name: "often", algorithm: "token-bucket", limit: 2, windowMs: 1000 },
          { name: "at-once", algorithm: "concurrency", limit: 4, windowMs: 30_000, shadow: true },
        ],
        store,
        clock: clock.read,
        timers: clock.timers,
      });
      jobs.on("storeFailure", () => {});
      let isAllowed = true;
      const app = sluice().set("env", "test");
      app.use("/limits", dashboard({ limiters: { api, jobs }, authorize: () => isAllowed }));
      const ask = async (user: string, times: number) => {
        for (let i = 0; i < times; i++) await api.limiter.consume(user);
      };
      await ask("ada", 12);
      await ask(EVIL, 9);
      await ask("192.0.2.1", 5);
      store.fail();
      for (let i = 0; i < 7; i++) await jobs.consume("nightly");

      const browser = await launchBrowser();
      try {
        await serving(app, async (origin) => {
          const page = await browser.newPage({ viewport: { width, height }, colorScheme });
          const problems: string[] = [];
          const hosts = new Set<string>();
          page.on("pageerror", (error) => problems.push(error.message));
          page.on("dialog", (dialog) => problems.push(dialog.message()));
          page.on("console", (message) => {
            if (["error", "warning"].includes(message.type())) problems.push(message.text());
          });
          page.on("request", (request) => {
            const { protocol, host } = new URL(request.url());
            if (protocol !== "data:") hosts.add(host);
          });
          await page.goto(`${origin}/limits`);
          const limited = page.locator('section[aria-label="api"]');
          const keys = async () => await limited.locator("td.key").allTextContents();
          await limited.locator("td.key").first().waitFor();
          assertEquals(await keys(), ["ada", "<img src=x onerror=alert(1)></script>\\u{202e}", "192.0.2.1"]);
          const other = page.locator('section[aria-label="jobs"]');
          assertEquals(await other.locator(".store").textContent(), "Store bypassed: breaker open");
          assertMatch((await other.textContent())!, /at-once: 4 at once, concurrency/);

          // requests during the visit
          await ask("ada", 20);
          await limited.locator("rect.limited").first().waitFor({ state: "attached" });
          await limited.locator("dd", { hasNotText: "–" }).first().waitFor();
          assertMatch(
            (await limited.locator("svg").getAttribute("aria-label"))!,
            /Requests to api .* a second admitted/,
          );

          await Deno.mkdir(".cache/screenshots", { recursive: true });
          await page.screenshot({ path: `.cache/screenshots/dashboard-${width}.png`, fullPage: true });
          const [inner, scroll] = await page.evaluate("[innerWidth, document.documentElement.scrollWidth]") as number[];
          assert(scroll! <= inner!, `${scroll} of ${inner}`);

          const button = await page.getByRole("button", { name: "Reset ada" }).boundingBox();
          assert(button!.x + button!.width <= width, "the button of a row is out of sight");

          // by keyboard: the table's first button, then the form
          await page.getByRole("button", { name: "Reset <img" }).focus();
          await page.keyboard.press("Enter");
          await limited.locator("td.key", { hasText: "<img" }).waitFor({ state: "detached" });
          assertMatch((await page.textContent("#note"))!, /\\u\{202e\} was reset in api\./);
          await limited.getByLabel("Key or address").fill("192.0.2.1");
          await page.keyboard.press("Enter");
          await limited.locator("td.key", { hasText: "192.0.2.1" }).waitFor({ state: "detached" });
          assertEquals(await keys(), ["ada"]);
          assertEquals((await api.getKey("192.0.2.1")).remaining, 3);
          assertEquals(problems, []);
          assertEquals([...hosts], [new URL(origin).host]);

          // a user who loses access gets a message; the browser logs the 403
          isAllowed = false;
          await page.locator("#note", { hasText: "No longer allowed" }).waitFor();
          await page.close();
        });
      } finally {
        await browser.close();
      }
    },
  );
}

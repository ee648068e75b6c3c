import { assertEquals } from "@std/assert";
import sluice, { type FrameworkApp, type Response } from "@sluice/sluice";
import { csrf } from "@sluice/middleware/csrf";
import { session } from "@sluice/middleware/session";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";

// the browser's connections briefly outlive a test
const options = { sanitizeOps: false, sanitizeResources: false };

function bank(): FrameworkApp {
  const app = sluice().set("env", "test");
  app.use(session({ secret: "a secret of 32 characters or more" }), csrf());
  app.get("/login", (req, res) => {
    req.session.user = "ada";
    res.send(`<form method="post" action="/transfer"><button>Send</button></form>`);
  });
  app.post("/transfer", (req, res) => res.send(`transferred for ${req.session.user}`));
  app.use((error: { status: number; message: string }, _req: unknown, res: Response, _next: unknown) => {
    res.status(error.status).send(error.message);
  });
  return app;
}

function evil(target: string): FrameworkApp {
  const app = sluice();
  const form = `<form method="post" action="${target}"><button>Win</button></form>`;
  app.get("/", (_req, res) => res.send(form));
  // a document with an opaque origin
  app.get("/sandboxed", (_req, res) => {
    res.set("Content-Security-Policy", "sandbox allow-forms allow-scripts").send(form);
  });
  return app;
}

Deno.test(
  "in a real browser a form of the same origin is accepted, and one of another site refused",
  options,
  async () => {
    const browser = await launchBrowser();
    try {
      await serving(bank(), async (address) => {
        const { port } = new URL(address);
        await serving(evil(`http://127.0.0.1:${port}/transfer`), async (other) => {
          const page = await browser.newPage();
          const sent = async (url: string): Promise<string> => {
            await page.goto(url);
            await Promise.all([page.waitForURL("**/transfer"), page.click("button")]);
            return (await page.textContent("body"))!;
          };
          const own = `http://127.0.0.1:${port}`;
          assertEquals(await sent(`${own}/login`), "transferred for ada");
          const evilPort = new URL(other).port;
          // a different port is same-site but cross-origin; a different host is cross-site
          const pages = [`http://127.0.0.1:${evilPort}/`, `http://localhost:${evilPort}/`];
          const refused: string[] = [];
          for (const url of [...pages, `http://127.0.0.1:${evilPort}/sandboxed`]) refused.push(await sent(url));
          const made = (origin: string, site: string) =>
            `csrf: a page of "${origin}" made the request (Sec-Fetch-Site: ${site}); allow origins with option origins`;
          assertEquals(refused, [
            made(`http://127.0.0.1:${evilPort}`, "same-site"),
            made(`http://localhost:${evilPort}`, "cross-site"),
            made("null", "cross-site"),
          ]);
          // and the session still exists
          assertEquals(await sent(`${own}/login`), "transferred for ada");
          await page.close();
        });
      });
    } finally {
      await browser.close();
    }
  },
);

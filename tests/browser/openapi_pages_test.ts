import { assertEquals, assertMatch } from "@std/assert";
import { openapiPages } from "@sluice/openapi/pages";
import { operation, validate } from "@sluice/openapi";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { z } from "zod";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";

// the browser's connections briefly outlive a test
const options = { sanitizeOps: false, sanitizeResources: false };

const Note = z.object({ id: z.number().int(), text: z.string() }).meta({ id: "Note" });

function notes(): FrameworkApp {
  const app = sluice().set("env", "test");
  const page = z.object({ page: z.coerce.number().optional().describe("Which page, from 1") });
  const listed = operation({ summary: "All notes, page by page", tags: ["notes"] });
  app.get("/notes", listed, validate({ query: page, response: { 200: z.array(Note) } }), (req, res) => {
    res.json([{ id: 1, text: `page ${req.query.page}` }]);
  });
  const described = operation({ summary: "Writes a note", tags: ["notes"], security: [{ bearer: [] }] });
  const body = Note.omit({ id: true });
  app.post("/notes", sluice.json(), described, validate({ body, response: { 201: Note } }), (_req, res) => {
    res.status(201).json({ id: 1, text: "" });
  });
  app.delete("/notes/:id", operation({ tags: ["notes"], deprecated: true }), (_req, res) => res.sendStatus(204));
  const securitySchemes = { bearer: { type: "http", scheme: "bearer" } };
  app.use("/docs", openapiPages(app, { title: "Notes", version: "1.0.0" }, { securitySchemes }));
  return app;
}

for (const [width, height] of [[1280, 900], [380, 800]] as const) {
  Deno.test(
    `in a real browser the pages show the document under a strict policy, ${width} pixels wide`,
    options,
    async () => {
      const browser = await launchBrowser();
      try {
        await serving(notes(), async (origin) => {
          const page = await browser.newPage({ viewport: { width, height } });
          const problems: string[] = [];
          const hosts = new Set<string>();
          page.on("pageerror", (error) => problems.push(error.message));
          page.on("console", (message) => {
            if (["error", "warning"].includes(message.type())) problems.push(message.text());
          });
          page.on("request", (request) => hosts.add(new URL(request.url()).host));
          // without the slash, which the page's links need
          const response = await page.goto(`${origin}/docs`);
          assertEquals(page.url(), `${origin}/docs/`);
          const policy = response!.headers()["content-security-policy"]!;
          assertMatch(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
          await page.waitForSelector(".opblock-summary");
          assertEquals(await page.title(), "Notes");
          assertEquals(await page.locator(".opblock").count(), 3);
          // opens an operation and tries it
          await page.click(".opblock-get .opblock-summary-control");
          await page.click("text=Try it out");
          await page.fill('.opblock-get input[placeholder="page"]', "7");
          await page.click("text=Execute");
          await page.waitForSelector(".live-responses-table :text('page 7')");
          await Deno.mkdir(".cache/screenshots", { recursive: true });
          await page.screenshot({ path: `.cache/screenshots/openapi-${width}.png` });
          await page.screenshot({ path: `.cache/screenshots/openapi-${width}-full.png`, fullPage: true });
          const [inner, scroll] = await page.evaluate("[innerWidth, document.documentElement.scrollWidth]") as number[];
          assertEquals(scroll! <= inner!, true, `${scroll} of ${inner}`);
          assertEquals(problems, []);
          assertEquals([...hosts], [new URL(origin).host]);
          await page.close();
        });
      } finally {
        await browser.close();
      }
    },
  );
}

/** Scalar's page shows the document. Scalar's own Express middleware serves it. */
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { apiReference } from "@scalar/express-api-reference";
import { openapiPages } from "@sluice/openapi/pages";
import { operation, validate } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { alone } from "../../scripts/alone.ts";
import { run } from "../../scripts/process.ts";
import { serving } from "../support/app.ts";
import { launchBrowser } from "../support/browser.ts";

// the browser's connections briefly outlive a test
const options = { sanitizeOps: false, sanitizeResources: false };

/** The script is self-contained; the package's 28 dependencies are for programs that bundle it. */
const SCALAR = "@scalar/api-reference@1.72.1";
const FOLDER = new URL(`../../.cache/scalar-${SCALAR.split("@").at(-1)}/`, import.meta.url);

/** Folder for Scalar's script, which is downloaded once. */
async function scalarFolder(): Promise<string> {
  const folder = fileURLToPath(FOLDER);
  await alone(new URL("../../.cache/scalar.lock", import.meta.url), async () => {
    if (await Deno.stat(`${folder}package/dist/browser/standalone.js`).catch(() => undefined) !== undefined) return;
    await rm(folder, { recursive: true, force: true });
    await Deno.mkdir(folder, { recursive: true });
    const script = `tar -xzf "$(npm pack ${SCALAR} --silent)"`;
    const { code, output } = await run("sh", ["-c", script], { limitMs: 120_000, quiet: true, cwd: folder });
    assertEquals(code, 0, output);
  });
  return `${folder}package/dist/browser`;
}

Deno.test("in a real browser Scalar's page shows the document", options, async () => {
  const app = sluice().set("env", "test");
  const Note = z.object({ id: z.int(), text: z.string() }).meta({ id: "Note" });
  const listed = operation({ summary: "All notes", tags: ["notes"] });
  app.get("/notes", listed, validate({ response: { 200: z.array(Note) } }), (_req, res) => res.json([]));
  const written = operation({ summary: "Writes a note", tags: ["notes"] });
  app.post("/notes", sluice.json(), written, validate({ body: Note.omit({ id: true }), response: { 201: Note } }), (
    req,
    res,
  ) => res.status(201).json({ id: 1, text: req.body.text }));
  app.use("/docs", openapiPages(app, { title: "Notes", version: "1.0.0" }));
  app.use("/scalar", sluice.static(await scalarFolder()));
  app.use("/reference", apiReference({ url: "/docs/openapi.json", cdn: "/scalar/standalone.js", telemetry: false }));
  const browser = await launchBrowser();
  try {
    await serving(app, async (origin) => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      // fonts and similar files from Scalar's host, which a self-hosted page need not load
      await page.route((url) => url.host !== new URL(origin).host, (route) => route.abort());
      await page.goto(`${origin}/reference`);
      for (const text of ["All notes", "Writes a note"]) await page.getByText(text).first().waitFor();
      await page.getByRole("heading", { name: "Notes" }).first().waitFor();
      await Deno.mkdir(".cache/screenshots", { recursive: true });
      await page.screenshot({ path: ".cache/screenshots/scalar.png" });
      assertEquals(problems, []);
      await page.close();
    });
  } finally {
    await browser.close();
  }
});

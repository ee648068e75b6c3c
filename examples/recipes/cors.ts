/** An API that pages of certain other origins may call, with cookies, and pages of all others may not. */
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { csrf } from "@sluice/middleware/csrf";
import cors from "cors";

export function makeApp(origins: string[]): FrameworkApp {
  const app = sluice();
  // first, so that pages can read errors, too
  app.use(cors({
    origin: origins,
    credentials: true,
    exposedHeaders: ["X-Request-Id"],
    maxAge: 600,
  }));
  // cors only decides who may read responses: any page can still submit a form
  app.use(csrf({ origins }));
  app.get("/account", (_req, res) => res.json({ balance: 7 }));
  app.post("/account", sluice.json(), (req, res) => res.json({ paid: req.body.amount }));
  return app;
}

if (import.meta.main) makeApp(["https://app.example.com", "https://admin.example.com"]).listen(3000);

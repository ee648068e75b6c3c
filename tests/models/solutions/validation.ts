import { validate } from "@sluice/openapi";
import sluice from "@sluice/sluice";
import { z } from "zod";

const User = z.object({ name: z.string().min(1).max(50), age: z.number().int().min(18) });
const Page = z.object({ page: z.coerce.number().int().min(1).default(1) });

export function createApp() {
  const app = sluice();
  app.post("/users", sluice.json(), validate({ body: User, status: 422 }), (req, res) => {
    res.status(201).json(req.body);
  });
  app.get("/users", validate({ query: Page, status: 422 }), (req, res) => res.json({ page: req.query.page }));
  return app;
}

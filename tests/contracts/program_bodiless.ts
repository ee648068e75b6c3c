/** The part of the program for requests without a body: every way to read a body, behind every parser. */
import sluice, { type FrameworkApp, type FrameworkRequest, type FrameworkResponse, Router } from "@sluice/sluice";

/** Routes under `/bodiless`, which return what they have read. */
export function bodilessRoutes(app: FrameworkApp): void {
  const router = Router();
  router.use(sluice.json(), sluice.urlencoded({ extended: false }), sluice.text(), sluice.raw());
  router.all("/body", (req, res) => void res.json({ body: shown(req.body), is: req.is("*/*") }));
  router.all("/events", (req, res) => {
    let length = 0;
    req.on("data", (chunk: Uint8Array) => length += chunk.length).on("end", () => res.json(length));
  });
  router.all("/end", (req, res) => void req.on("end", () => res.json("end")).resume());
  router.all("/loop", async (req, res) => {
    let length = 0;
    for await (const chunk of req) length += chunk.length;
    res.json(length);
  });
  router.all("/text", async (req, res) => res.json(await req.text()));
  router.use((error: Error & { type?: string }, _req: FrameworkRequest, res: FrameworkResponse, _next: unknown) => {
    res.status(400).json(error.type ?? error.message);
  });
  app.use("/bodiless", router);
}

function shown(body: unknown): unknown {
  return body instanceof Uint8Array ? [...body] : body ?? "undefined";
}

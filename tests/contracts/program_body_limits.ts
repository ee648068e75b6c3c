/** The part of the program that reads whole bodies, with the default limits and with small ones. */
import sluice, { type FrameworkApp, type FrameworkRequest, type FrameworkResponse } from "@sluice/sluice";

/** Routes that read bodies in every way, under `/limits`; with small limits, under `/small-limits`. */
export function bodyLimitRoutes(app: FrameworkApp): void {
  app.use("/limits", reading(sluice()));
  const small = sluice().set("body limit", { json: "1kb", text: 1000, arrayBuffer: 200_000, formData: 2000 });
  small.set("json depth", 5).set("form parts limit", 3).set("body timeout", 1500);
  app.use("/small-limits", reading(small));
  app.use("/small-budget", reading(sluice().set("body budget", 1000)));
}

function reading(app: FrameworkApp): FrameworkApp {
  app.set("env", "test");
  app.post("/json", async (req, res) => res.json(await req.json()));
  app.post("/text", async (req, res) => res.json((await req.text()).length));
  app.post("/bytes", async (req, res) => res.json((await req.arrayBuffer()).byteLength));
  app.post("/blob", async (req, res) => res.json((await req.blob()).size));
  app.post(
    "/form",
    async (req, res) => res.json([...await req.formData()].map(([name, value]) => [name, shown(value)])),
  );
  app.post("/web-text", async (req, res) => res.json((await req.request.text()).length));
  app.post("/parsed-json", sluice.json({ limit: Infinity }), (req, res) => res.json(req.body));
  app.post("/parsed-form", sluice.urlencoded({ extended: true }), (req, res) => res.json(req.body));
  app.post("/parsed-bytes", sluice.raw({ type: "*/*" }), (req, res) => res.json(req.body.length));
  app.post("/events", (req, res) => {
    let length = 0;
    req.on("data", (chunk: Uint8Array) => length += chunk.length).on("end", () => res.json(length));
  });
  app.post("/loop", async (req, res) => {
    let length = 0;
    for await (const chunk of req) length += chunk.length;
    res.json(length);
  });
  app.use(told);
  return app;
}

function shown(value: FormDataEntryValue): unknown {
  return typeof value === "string" ? value : { file: value.name, size: value.size };
}

function told(error: Failure, _req: FrameworkRequest, res: FrameworkResponse, _next: unknown): void {
  const { status = 500, type = null, limit = null, length = null, headers = {} } = error;
  res.status(status).set(headers).json({ status, type, limit, length });
}

/** The parts of an error that the program reports. */
interface Failure extends Error {
  readonly status?: number;
  readonly type?: string;
  readonly limit?: number;
  readonly length?: number;
  readonly headers?: Record<string, string>;
}

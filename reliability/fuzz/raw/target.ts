/** The target for raw connections: an application that records what its handlers see. */
import sluice, { type FrameworkApp, type FrameworkRequest } from "@sluice/sluice";

/** A request as a handler saw it. */
export interface Sight {
  readonly method: string;
  readonly url: string;
  readonly host: string | undefined;
  readonly secure: boolean;
}

const { process } = globalThis as unknown as {
  process: { env: Record<string, string | undefined>; exit(code: number): never };
};

/** Builds the application; an environment variable plants the fault that a test must find. */
export function buildTarget(): FrameworkApp {
  const fault = process.env["PLANTED_FAULT"];
  // as in Express, other environments also log client errors
  const app = sluice().set("env", "test");
  app.on("error", (error: { status?: number; code?: string }, context?: { phase?: string }) => {
    const isClients = context?.phase === "connection" || Number(error?.status) < 500 ||
      /^ECONN/.test(error?.code ?? "");
    if (!isClients) console.error(error);
  });
  let seen: Sight[] = [];
  const note = (req: FrameworkRequest): void => {
    seen.push({ method: req.method, url: req.originalUrl, host: req.get("host"), secure: req.secure });
  };
  app.get("/control/seen", (_req, res) => {
    res.json(seen);
    seen = [];
  });
  app.use((req, res, next) => {
    note(req);
    if (fault === "status" && req.get("range") !== undefined) return res.sendStatus(599);
    if (fault === "silence" && req.get("x-flag") !== undefined) return;
    if (fault === "end" && req.get("range") !== undefined) process.exit(3);
    if (fault === "noise" && req.get("range") !== undefined) console.error("a stray line");
    next();
  });
  app.post("/json", sluice.json({ limit: 2000 }), (req, res) => res.json(Object.keys(req.body ?? {}).length));
  app.post("/text", async (req, res) => {
    res.json((await req.text()).length);
  });
  app.post("/form", sluice.urlencoded({ extended: true }), (req, res) => res.json(Object.keys(req.body ?? {}).length));
  app.post("/stream", async (req, res) => {
    let length = 0;
    for await (const chunk of req) length += chunk.length;
    res.json(length);
  });
  app.post("/unread", (_req, res) => res.send("not read"));
  app.get("/query", (req, res) => res.json(Object.keys(req.query).length));
  app.get("/item/:id{.:format}", (req, res) => res.json(Object.keys(req.params).length));
  app.get("/cookies", (req, res) => res.json(Object.keys(req.cookies ?? {}).length));
  app.ws("/ws", { message: (ws, data) => void ws.send(data) });
  app.use((_req, res) => res.status(404).send("nothing"));
  return app;
}

/** The service in Sluice; prints its port. */
import sluice, { shedLoad } from "@sluice/sluice";
import { upload } from "@sluice/middleware/upload";
import { log } from "@sluice/middleware/log";
import { now, serve } from "./service.ts";
import { OWN_WAYS, WAYS } from "./ways.ts";

const BUDGET = 200_000;
const app = sluice().set("env", "test").set("body budget", BUDGET);
// the errors come from the handlers
app.on("error", () => {});
const shed = shedLoad({ maxPending: 1000, maxEventLoopDelayMs: 600_000, clock: now });
const form = upload({ limits: { memory: BUDGET } });
let unlogged = 0;
app.post("/control/body", sluice.json({ limit: BUDGET }), (_req, res) => void res.send("all of it"));
app.post("/control/form", form, (_req, res) => void res.send("all of it"));
app.ws("/socket", { open: (ws) => ws.subscribe("topic") });

async function isFree(path: string, body: string | FormData): Promise<boolean> {
  const headers = typeof body === "string" ? { "content-type": "application/json" } : {};
  const { status } = await app.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
  return status === 200;
}

/** Requests almost all of each budget. */
async function probe(): Promise<string[]> {
  const content = "x".repeat(BUDGET - 2000);
  const files = new FormData();
  files.append("file", new Blob([content]), "file");
  const held = [];
  if (!await isFree("/control/body", JSON.stringify([content]))) held.push("body budget");
  if (!await isFree("/control/form", files)) held.push("upload memory");
  return held;
}

const extras = {
  middleware: [
    shed,
    log({
      stream(_line, record) {
        if ("status" in record) unlogged--;
      },
    }),
    (_req: unknown, _res: unknown, next: () => void) => {
      unlogged++;
      next();
    },
    sluice.json({ limit: BUDGET }),
    form,
  ],
  counters: {
    shedLoad: () => shed.figures.pending,
    log: () => unlogged,
    sockets: () => app.connections.size,
  },
  probe,
  close: () => app.close({ timeoutMs: 60_000 }),
};
await serve(app, { ...WAYS, ...OWN_WAYS }, extras);

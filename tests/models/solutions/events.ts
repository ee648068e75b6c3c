import { sse } from "@sluice/middleware/sse";
import sluice from "@sluice/sluice";

export function createApp() {
  const app = sluice();
  let open = 0;

  async function* ticks(from: number, signal: AbortSignal) {
    open++;
    try {
      for (let id = from + 1; !signal.aborted; id++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield { id: String(id), data: { n: id } };
      }
    } finally {
      open--;
    }
  }

  app.get("/events", (req, res) => {
    const events = sse(req, res);
    return events.sendAll(ticks(Number(events.lastEventId ?? 0), req.signal));
  });
  app.get("/clients", (_req, res) => res.json({ open }));
  return app;
}

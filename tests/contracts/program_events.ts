/** The part of the program that sends server-sent events. */
import { sse } from "@sluice/middleware/sse";
import type { FrameworkApp } from "@sluice/sluice";

/** Routes that send events, from a source and one at a time. */
export function eventRoutes(app: FrameworkApp): void {
  const left = new Set<string>();
  app.get("/events/source", (req, res) => {
    const events = sse(req, res);
    const first = Number(events.lastEventId ?? 0) + 1;
    return events.sendAll(async function* () {
      for (let id = first; id <= 3; id++) yield await Promise.resolve({ id: `${id}`, data: { id } });
    }());
  });
  app.get("/events/endless", (req, res) => {
    const events = sse(req, res);
    const ticking = setInterval(() => void events.send("tick"), 5);
    return events.closed.then(() => {
      clearInterval(ticking);
      left.add(String(req.query["flag"]));
    });
  });
  app.get("/events/left/:flag", (req, res) => res.json(left.has(req.params.flag)));
}

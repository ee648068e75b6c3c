/** The part of the program that compresses its responses. */
import { compress } from "@sluice/middleware/compress";
import { sse } from "@sluice/middleware/sse";
import type { FrameworkApp } from "@sluice/sluice";

const LONG = Array.from({ length: 300 }, (_, id) => ({ id, name: `User ${id} ü` }));

/** `coded coded coded coded coded` deflated. */
const DEFLATED = Uint8Array.from(atob("eJxLzk9JTVFIxk4CAJ16Cnw="), (one) => one.charCodeAt(0));

/** Compressed responses, produced in every possible way. */
export function compressedRoutes(app: FrameworkApp): void {
  app.use("/compressed", compress());
  app.get("/compressed/json", (_req, res) => res.json(LONG));
  app.get("/compressed/short", (_req, res) => res.json("short"));
  app.get("/compressed/returned", () => Response.json(LONG));
  app.get("/compressed/written", (_req, res) => {
    const text = JSON.stringify(LONG);
    res.type("json").write(text.slice(0, 2000));
    res.end(text.slice(2000));
  });
  app.get("/compressed/huge", (_req, res) => res.type("text").send("0123456789abcdef".repeat(20_000)));
  app.get("/compressed/coded", (_req, res) => res.type("text").set("Content-Encoding", "deflate").send(DEFLATED));
  app.get("/compressed/events", (req, res) => {
    const events = sse(req, res);
    const ticking = setInterval(() => void events.send("tick"), 5);
    return events.closed.then(() => clearInterval(ticking));
  });
  app.get("/compressed/records", (_req, res) => {
    res.type("application/x-ndjson").write("{}\n");
    return new Promise<void>((resolve) => res.once("close", resolve));
  });
  app.get("/compressed/records/returned", () => {
    const records = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{}\n")) });
    return new Response(records, { headers: { "content-type": "application/x-ndjson" } });
  });
}

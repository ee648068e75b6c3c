import { fileURLToPath } from "node:url";
import ejs from "ejs";
import { openapiPages } from "@sluice/openapi/pages";
import sluice, { type FrameworkApp, rateLimit } from "@sluice/sluice";
import { Note, notesApi } from "./notes_api.ts";
import { NoteBook } from "./note_book.ts";
import { viewer } from "./viewer.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Requests a client may send to the API in one window. */
const MAX = 10;
/** Length of the window in ms. */
const WINDOW_MS = 10_000;

/** One request to the API, as shown on the live page. */
export interface FeedEvent {
  /** Whether the limiter admitted it. */
  admitted: boolean;
  /** Method and path. */
  request: string;
  /** ms since 1970. */
  at: number;
}

/**
 * Creates the demo: a rate-limited API and its documentation, a form, static files, pages, a live view of the limiter.
 */
export function makeDemo(): FrameworkApp {
  const app = sluice();
  const notes = new NoteBook(["Handlers are Express's", "The core is Fetch", "The limiter never admits too many"]);

  app.engine("ejs", ejs.renderFile).set("view engine", "ejs").set("views", `${folder}views`);
  app.locals["product"] = "Sluice";
  app.use("/static", sluice.static(`${folder}static`, { maxAge: "1h" }));

  app.get("/", (_req, res) => res.render("home", { notes: notes.all(), title: "Notes" }));
  app.post("/notes", sluice.urlencoded(), (req, res) => {
    const text = String(req.body?.text ?? "").trim();
    if (text === "") {
      return res.status(422).render("home", { notes: notes.all(), title: "Notes", problem: "Write something first." });
    }
    notes.add(text);
    res.redirect(303, "/");
  });

  const tell = (event: FeedEvent) => app.connections.publish("feed", JSON.stringify(event));
  const api = sluice.Router();
  api.use(
    rateLimit({
      windowMs: WINDOW_MS,
      limit: MAX,
      onLimitReached: (req) => tell({ admitted: false, request: `${req.method} ${req.originalUrl}`, at: Date.now() }),
    }),
    (req, _res, next) => {
      tell({ admitted: true, request: `${req.method} ${req.originalUrl}`, at: Date.now() });
      next();
    },
    notesApi(notes),
  );
  app.use("/api", api);
  const info = { title: "Notes", version: "1.0.0", description: "The API of Sluice's demo." };
  app.use("/docs", openapiPages(api, info, { prefix: "/api", schemas: { Note }, viewer }));

  app.get("/live", (_req, res) => res.render("live", { title: "Live", limit: MAX, seconds: WINDOW_MS / 1000 }));
  app.ws("/live/feed", {
    open(ws) {
      ws.subscribe("feed");
      ws.send(JSON.stringify({ hello: true }));
    },
  });

  app.use((_req, res) => res.status(404).render("missing", { title: "Not here" }));
  return app;
}

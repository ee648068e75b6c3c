import sluice, { type ErrorHandler, HttpError, rateLimit } from "@sluice/sluice";

interface Note {
  id: number;
  text: string;
}

/** Creates the application; server.ts listens, and tests call it without a server. */
export function createApp() {
  const app = sluice();
  const notes: Note[] = [];

  // each client gets 100 requests a minute
  app.use(rateLimit({ windowMs: 60_000, limit: 100 }));
  app.use(sluice.json({ limit: "10kb" }));

  app.get("/notes", (_req, res) => res.json(notes));

  app.get("/notes/:id", (req, res) => {
    const note = notes.find(({ id }) => id === Number(req.params.id));
    if (note === undefined) throw new HttpError(404, `There is no note ${req.params.id}`);
    res.json(note);
  });

  app.post("/notes", (req, res) => {
    const note = { id: notes.length + 1, text: validText(req.body) };
    notes.push(note);
    res.status(201).location(`/notes/${note.id}`).json(note);
  });

  app.use((req) => {
    throw new HttpError(404, `There is nothing at ${req.path}`);
  });
  app.use(onError);
  return app;
}

function validText(body: unknown): string {
  const { text } = Object(body) as { text?: unknown };
  if (typeof text !== "string" || text.trim() === "") throw new HttpError(422, "text must be a string, and not empty");
  return text.trim();
}

const onError: ErrorHandler = (error, _req, res, _next) => {
  // clients see details only for their own errors, such as invalid JSON
  if (!error.expose) console.error(error);
  res.status(error.expose ? error.status : 500).json({ error: error.expose ? error.message : "Something went wrong" });
};

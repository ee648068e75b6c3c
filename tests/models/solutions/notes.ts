import sluice, { type ErrorHandler, HttpError } from "@sluice/sluice";

interface Note {
  id: number;
  text: string;
}

export function createApp() {
  const app = sluice();
  const notes = new Map<number, Note>();
  let last = 0;
  const parse = sluice.json({ limit: "10kb" });
  const textOf = (body: { text?: unknown } | undefined): string => {
    if (typeof body?.text !== "string") throw new HttpError(400, "text must be a string");
    return body.text;
  };
  const find = (id: string): Note => {
    const note = notes.get(Number(id));
    if (note === undefined) throw new HttpError(404, "Not found");
    return note;
  };

  app.post("/notes", parse, (req, res) => {
    const note = { id: ++last, text: textOf(req.body) };
    notes.set(note.id, note);
    res.status(201).json(note);
  });
  app.get("/notes", (_req, res) => res.json([...notes.values()]));
  app.route("/notes/:id")
    .get((req, res) => res.json(find(req.params.id)))
    .put(parse, (req, res) => {
      const note = find(req.params.id);
      note.text = textOf(req.body);
      res.json(note);
    })
    .delete((req, res) => {
      notes.delete(find(req.params.id).id);
      res.sendStatus(204);
    });

  app.use(() => {
    throw new HttpError(404, "Not found");
  });
  const asJson: ErrorHandler = (error, _req, res, _next) => {
    const { status, message } = error.expose ? error : { status: 500, message: "Something went wrong" };
    if (status === 500) console.error(error);
    res.status(status).json({ error: message });
  };
  app.use(asJson);
  return app;
}

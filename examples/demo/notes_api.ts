import sluice, { HttpError, type Router } from "@sluice/sluice";
import type { NoteBook } from "./note_book.ts";

/** The notes as a JSON API, to be mounted anywhere. */
export function notesApi(notes: NoteBook): Router {
  const api = sluice.Router();
  api.use(sluice.json({ limit: "10kb" }));
  api.get("/time", (_req, res) => res.json({ now: new Date().toISOString() }));
  api.get("/notes", (_req, res) => res.json(notes.all()));
  api.get("/notes/:id", (req, res) => {
    const note = notes.find(Number(req.params.id));
    if (note === undefined) throw new HttpError(404, `There is no note ${req.params.id}`);
    res.json(note);
  });
  api.post("/notes", (req, res) => {
    const text = req.body?.text;
    if (typeof text !== "string" || text.trim() === "") throw new HttpError(422, 'A note needs a "text"');
    const note = notes.add(text.trim());
    res.status(201).location(`${req.baseUrl}/notes/${note.id}`).json(note);
  });
  return api;
}

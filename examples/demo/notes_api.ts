import { operation, validate } from "@sluice/openapi";
import sluice, { HttpError, type Router } from "@sluice/sluice";
import { type } from "arktype";
import type { NoteBook } from "./note_book.ts";

/** A note, as sent to clients. */
export const Note = type({ id: "number.integer", text: "string" });

/** A new note: a string that is not blank. */
const Draft = type({ text: "/\\S/ & string <= 280" });

/** Maximum number of notes to return. */
const Page = type({ "limit?": "string.integer.parse" });

/** Number of a note, in a path. */
const Numbered = type({ id: "string.integer.parse" });

const Missing = type({ title: "string", status: "404" });

/** The notes as a JSON API, for mounting anywhere. */
export function notesApi(notes: NoteBook): Router {
  const api = sluice.Router();
  api.use(sluice.json({ limit: "10kb" }));

  api.get("/time", operation({ summary: "The server's time" }), (_req, res) => res.json({ now: new Date() }));

  api.use("/notes", operation({ tags: ["notes"] }));
  api.get(
    "/notes",
    operation({ summary: "All notes, the newest first" }),
    validate({ query: Page, response: { 200: Note.array() } }, (req, res) => {
      res.json(notes.all().slice(0, req.query.limit));
    }),
  );
  api.get(
    "/notes/:id",
    operation({
      summary: "One note",
      examples: { params: { id: "1" } },
      responses: { 404: { schema: Missing, mediaType: "application/problem+json" } },
    }),
    validate({ params: Numbered, response: { 200: Note } }, (req, res) => {
      const { id } = req.params;
      const note = notes.find(id);
      if (note !== undefined) return res.json(note);
      const title = `There is no note ${id}`;
      throw new HttpError(404, title, { problem: { title, status: 404 } });
    }),
  );
  api.post(
    "/notes",
    operation({ summary: "Writes a note", examples: { body: { text: "Milk" } } }),
    validate({ body: Draft, response: { 201: Note }, status: 422 }, (req, res) => {
      const note = notes.add(req.body.text.trim());
      res.status(201).location(`${req.baseUrl}/notes/${note.id}`).json(note);
    }),
  );
  return api;
}

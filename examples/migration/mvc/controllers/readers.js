import { books, readers } from "../models.js";

export function load(req, _res, next, id) {
  req.reader = readers.find((reader) => reader.id === Number(id));
  next(req.reader ? undefined : "route");
}

export function show(req, res) {
  const lent = books.filter(({ id }) => req.reader.lent.includes(id));
  res.render("readers/show", { reader: req.reader, lent });
}

export function remove(req, res) {
  if (req.reader.lent.length > 0) throw Object.assign(new Error("Some books are missing"), { status: 409 });
  readers.splice(readers.indexOf(req.reader), 1);
  res.sendStatus(204);
}

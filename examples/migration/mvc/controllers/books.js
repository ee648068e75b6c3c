import { books, readers } from "../models.js";

export function load(req, _res, next, id) {
  req.book = books.find((book) => book.id === Number(id));
  next(req.book ? undefined : "route");
}

export function index(req, res) {
  const sorted = req.query.sort === "year" ? books.toSorted((a, b) => b.year - a.year) : books;
  res.format({
    html: () => res.render("books/index", { books: sorted }),
    json: () => res.json(sorted),
  });
}

export function show(req, res) {
  const reader = readers.find(({ lent }) => lent.includes(req.book.id));
  res.render("books/show", { book: req.book, reader });
}

export function edit(req, res) {
  res.render("books/edit", { book: req.book });
}

export function create(req, res) {
  const { title, year } = req.body.book;
  const book = { id: books.length + 1, title, year: Number(year) };
  books.push(book);
  res.flash(`“${title}” was added`).redirect(`/books/${book.id}`);
}

export async function update(req, res) {
  const { title } = req.body.book;
  await Promise.resolve();
  if (!title) throw Object.assign(new Error("A book needs a title"), { status: 422 });
  req.book.title = title;
  res.flash("Saved").flash("Thank you").redirect(303, `/books/${req.book.id}`);
}

// A lending library: models, views and controllers, with routes named after the controllers' methods.
import ejs from "ejs";
import express from "express";
import session from "express-session";
import methodOverride from "method-override";
import process from "node:process";
import { bind } from "./bind.js";
import * as books from "./controllers/books.js";
import * as readers from "./controllers/readers.js";

const app = express();

app.engine("html", ejs.renderFile);
app.set("view engine", "html");
app.locals.site = "The lending library";

app.response.flash = function (text) {
  this.req.session.flash = [...(this.req.session.flash ?? []), text];
  return this;
};

app.use(express.static("public"));
app.use(session({ secret: "library", resave: false, saveUninitialized: false }));
app.use(express.urlencoded({ extended: true }));
app.use(methodOverride("_method"));

app.use((req, res, next) => {
  res.locals.flash = req.session.flash ?? [];
  res.locals.path = req.path;
  if (res.locals.flash.length > 0) delete req.session.flash;
  next();
});

app.get("/", (_req, res) => res.redirect("/books"));
bind(app, "book", books);
bind(app, "reader", readers);

app.use((req, res) => {
  res.status(404).render("not-found", { url: req.originalUrl });
});

app.use((err, _req, res, next) => {
  if (res.headersSent) return next(err);
  res.status(err.status ?? 500).render("failed", { message: err.message });
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on port ${server.address().port}`);
});

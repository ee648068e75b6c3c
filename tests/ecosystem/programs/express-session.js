import session from "express-session";

export const title = "express-session keeps sessions in its memory store";

export default function (app) {
  app.use(session({ secret: "keyboard cat", resave: false, saveUninitialized: false, cookie: { maxAge: 60_000 } }));
  app.get("/", (req, res) => {
    req.session.views = (req.session.views ?? 0) + 1;
    res.json({ views: req.session.views });
  });
  app.get("/peek", (req, res) => res.json({ views: req.session.views ?? 0, same: req.sessionID === req.session.id }));
  app.get("/regenerate", (req, res, next) =>
    req.session.regenerate((error) => {
      if (error) return next(error);
      req.session.user = "ada";
      req.session.save((failed) => failed ? next(failed) : res.redirect("/who"));
    }));
  app.get("/who", (req, res) => res.json(req.session.user ?? null));
  app.get("/destroy", (req, res, next) => req.session.destroy((error) => error ? next(error) : res.send("gone")));
  app.get("/streamed", (req, res) => {
    req.session.streamed = true;
    res.write("one ");
    res.write("two ");
    res.end("three");
  });
  app.get("/head", (req, res) => {
    req.session.views = 10;
    res.status(204).end();
  });
  app.get("/age", (req, res) => {
    req.session.cookie.maxAge = 1000;
    req.session.touched = true;
    res.json(req.session.cookie.originalMaxAge);
  });
}

export const masks = [/(?<=connect\.sid=)[^;]+/g];

export const requests = [
  { path: "/peek", jar: "a", sees: { body: { views: 0, same: true }, headers: { "set-cookie": null } } },
  {
    path: "/",
    jar: "a",
    sees: { body: { views: 1 }, headers: { "set-cookie": /^connect\.sid=s%3A.*; Path=\/; Expires=.*; HttpOnly$/ } },
  },
  { path: "/", jar: "a", sees: { body: { views: 2 } } },
  { path: "/", jar: "b", sees: { body: { views: 1 } } },
  { path: "/peek", jar: "a", sees: { body: { views: 2, same: true }, headers: { "set-cookie": null } } },
  { path: "/streamed", jar: "a", sees: { body: "one two three" } },
  { path: "/streamed", jar: "c", sees: { body: "one two three", headers: { "set-cookie": /^connect\.sid=/ } } },
  {
    path: "/regenerate",
    jar: "a",
    sees: { status: 302, headers: { location: "/who", "set-cookie": /^connect\.sid=/ } },
  },
  { path: "/who", jar: "a", sees: { body: '"ada"' } },
  { path: "/peek", jar: "a", sees: { body: { views: 0, same: true } } },
  { path: "/age", jar: "a", sees: { body: "1000" } },
  { path: "/destroy", jar: "a", sees: { body: "gone" } },
  { path: "/who", jar: "a", sees: { body: "null" } },
  { path: "/head", jar: "d", sees: { status: 204, headers: { "set-cookie": /^connect\.sid=/ } } },
  { method: "HEAD", path: "/", jar: "d", sees: { body: "" } },
  { path: "/peek", jar: "d", sees: { body: { views: 11, same: true } } },
  { path: "/", headers: { Cookie: "connect.sid=s%3Aforged.signature" }, sees: { body: { views: 1 } } },
];

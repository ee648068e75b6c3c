import session from "express-session";
import passport from "passport";
import LocalStrategy from "passport-local";

export const title = "passport logs users in with passport-local, keeps them in the session and guards protected pages";

export const packages = ["passport", "passport-local"];

export default function (app, lib) {
  const users = [{ id: 1, username: "ada", password: "lovelace" }];
  passport.use(
    new LocalStrategy((username, password, done) => {
      const user = users.find((one) => one.username === username);
      if (username === "broken") return done(new Error("no database"));
      if (!user) return done(null, false, { message: "Incorrect username." });
      if (user.password !== password) return done(null, false, { message: "Incorrect password." });
      return done(null, user, { message: "Welcome." });
    }),
  );
  passport.serializeUser((user, done) => done(null, user.id));
  passport.deserializeUser((id, done) => done(null, users.find((user) => user.id === id) ?? false));
  app.use(lib.urlencoded({ extended: false }));
  app.use(session({ secret: "keyboard cat", resave: false, saveUninitialized: false }));
  app.use(passport.initialize());
  app.use(passport.session());
  app.post(
    "/login",
    passport.authenticate("local", { successRedirect: "/me", failureRedirect: "/login", failureMessage: true }),
  );
  app.post(
    "/token",
    passport.authenticate("local", { session: false }),
    (req, res) => res.json({ user: req.user.username }),
  );
  app.post("/custom", (req, res, next) => {
    passport.authenticate("local", (error, user, info) => {
      if (error) return next(error);
      if (!user) return res.status(403).json(info);
      req.logIn(user, (failed) => failed ? next(failed) : res.json({ in: req.isAuthenticated(), info }));
    })(req, res, next);
  });
  app.get("/login", (req, res) => res.json({ messages: req.session.messages ?? [] }));
  const ensureLoggedIn = (req, res, next) => req.isAuthenticated() ? next() : res.status(401).send("log in first");
  app.get("/me", ensureLoggedIn, (req, res) => res.json({ id: req.user.id, out: req.isUnauthenticated() }));
  app.post("/logout", (req, res, next) => req.logout((error) => error ? next(error) : res.redirect("/me")));
}

export const masks = [/(?<=connect\.sid=)[^;]+/g];

const post = (path, body, more) => ({
  method: "POST",
  path,
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  body,
  ...more,
});

export const requests = [
  { path: "/me", jar: "a", sees: { status: 401, body: "log in first" } },
  post("/login", "username=ada&password=wrong", { jar: "a", sees: { status: 302, headers: { location: "/login" } } }),
  { path: "/login", jar: "a", sees: { body: { messages: ["Incorrect password."] } } },
  post("/login", "username=ada&password=lovelace", {
    jar: "a",
    sees: { status: 302, headers: { location: "/me", "set-cookie": /^connect\.sid=/ } },
  }),
  { path: "/me", jar: "a", sees: { body: { id: 1, out: false } } },
  { path: "/me", jar: "b", sees: { status: 401 } },
  post("/logout", "", { jar: "a", sees: { status: 302, headers: { location: "/me" } } }),
  { path: "/me", jar: "a", sees: { status: 401 } },
  post("/token", "username=ada&password=lovelace", {
    sees: { body: { user: "ada" }, headers: { "set-cookie": null } },
  }),
  post("/token", "username=ada&password=wrong", { sees: { status: 401, body: "Unauthorized" } }),
  post("/token", "", { sees: { status: 400, body: "Bad Request" } }),
  post("/token", "username=broken&password=x", { sees: { status: 500 } }),
  post("/custom", "username=eve&password=x", {
    jar: "c",
    sees: { status: 403, body: { message: "Incorrect username." } },
  }),
  post("/custom", "username=ada&password=lovelace", {
    jar: "c",
    sees: { body: { in: true, info: { message: "Welcome." } } },
  }),
  { path: "/me", jar: "c", sees: { body: { id: 1, out: false } } },
];

import cookieSession from "cookie-session";

export const title = "cookie-session keeps a session in signed cookies";

export default function (app) {
  app.set("trust proxy", 1);
  app.use(cookieSession({ name: "session", keys: ["key1", "key2"], maxAge: 24 * 60 * 60 * 1000 }));
  app.get("/", (req, res) => {
    req.session.views = (req.session.views || 0) + 1;
    res.end(`${req.session.views} views`);
  });
  app.get(
    "/read",
    (req, res) => res.json({ ...req.session, isNew: req.session.isNew, populated: req.session.isPopulated }),
  );
  app.get("/out", (req, res) => {
    req.session = null;
    res.send("bye");
  });
  app.get("/streamed", (req, res) => {
    req.session.streamed = true;
    res.write("one ");
    res.end("two");
  });
  app.get("/short", (req, res) => {
    req.sessionOptions.maxAge = 1000;
    req.session.short = true;
    res.json({ short: true });
  });
}

export const requests = [
  {
    path: "/",
    jar: "a",
    sees: {
      body: "1 views",
      headers: { "set-cookie": /^session=eyJ2aWV3cyI6MX0=; path=\/; expires=.*; httponly$/ },
    },
  },
  { path: "/", jar: "a", sees: { body: "2 views" } },
  {
    path: "/read",
    jar: "a",
    sees: { body: { views: 2, isNew: false, populated: true }, headers: { "set-cookie": null } },
  },
  { path: "/streamed", jar: "a", sees: { body: "one two", headers: { "set-cookie": /^session=/ } } },
  { path: "/read", jar: "a", sees: { body: { views: 2, streamed: true, isNew: false, populated: true } } },
  { path: "/short", jar: "a", sees: { headers: { "set-cookie": /^session\.sig=/ } } },
  { path: "/out", jar: "a", sees: { headers: { "set-cookie": /^session=; path=\/; expires=Thu, 01 Jan 1970/ } } },
  { path: "/read", jar: "a", sees: { body: { isNew: true, populated: false } } },
  {
    path: "/read",
    headers: { Cookie: "session=eyJ2aWV3cyI6OX0=; session.sig=forged" },
    sees: { body: { isNew: true, populated: false } },
  },
  { path: "/", headers: { Cookie: "session=nonsense", "X-Forwarded-Proto": "https" } },
];

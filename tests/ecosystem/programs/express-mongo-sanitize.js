import mongoSanitize from "express-mongo-sanitize";

export const title = "express-mongo-sanitize removes operators from the input";

export default function (app, lib) {
  const echo = (req, res) => res.json({ body: req.body, query: req.query, params: req.params });
  app.use(lib.json(), lib.urlencoded({ extended: true }));
  app.post(
    "/direct",
    (req, res) =>
      res.json({ had: mongoSanitize.has(req.body), now: mongoSanitize.sanitize(req.body, { replaceWith: "_" }) }),
  );
  app.set("query parser", "extended");
  app.use("/removed", mongoSanitize(), echo);
  app.use(
    "/replaced",
    mongoSanitize({ replaceWith: "_", onSanitize: ({ req, key }) => req.res.append("X-Sanitized", key) }),
    echo,
  );
  app.use("/dry", mongoSanitize({ dryRun: true, allowDots: true }), echo);
}

const post = (path, value, sees, differs) => ({
  method: "POST",
  path,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
  sees,
  ...differs && { differs },
});
const setsQuery = (...parts) => ({
  parts: [...parts, "status", "body"],
  why: "it assigns `req.query`, which Sluice allows and Express 5 refuses with an error",
});
const answered = ["content-length", "content-security-policy", "content-type", "etag", "x-content-type-options"];

export const requests = [
  post("/direct", { a: { $gt: "" }, "b.c": 1, d: 2 }, { body: { had: true, now: { a: { _gt: "" }, b_c: 1, d: 2 } } }),
  post("/direct", { a: 1 }, { body: { had: false, now: { a: 1 } } }),
  post("/removed?x[$ne]=1&y=2", { a: { $gt: "" }, "b.c": 1, d: 2 }, {
    body: { body: { a: {}, d: 2 }, query: { x: {}, y: "2" }, params: {} },
  }, setsQuery(...answered)),
  post("/replaced?x[$ne]=1", { $a: 1 }, {
    body: { body: { _a: 1 }, query: { x: { _ne: "1" } }, params: {} },
    headers: { "x-sanitized": /body/ },
  }, setsQuery(...answered, "x-sanitized")),
];

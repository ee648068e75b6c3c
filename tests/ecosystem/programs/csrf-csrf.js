import cookieParser from "cookie-parser";
import { doubleCsrf } from "csrf-csrf";

export const title = "csrf-csrf admits only requests with the token of their cookie";

export const packages = ["csrf-csrf"];

export default function (app, lib) {
  const { generateCsrfToken, doubleCsrfProtection, invalidCsrfTokenError } = doubleCsrf({
    getSecret: () => "a very long secret",
    getSessionIdentifier: (req) => req.cookies.session ?? "none",
    cookieName: "psifi.x-csrf-token",
    cookieOptions: { secure: false, sameSite: "strict" },
  });
  app.use(cookieParser("cookie secret"), lib.json());
  app.get("/token", (req, res) => res.cookie("session", "s-1").json({ token: generateCsrfToken(req, res) }));
  app.get("/again", (req, res) => res.json({ token: generateCsrfToken(req, res) }));
  app.use(doubleCsrfProtection);
  app.get("/safe", (_req, res) => res.send("safe"));
  app.post("/guarded", (req, res) => res.json({ got: req.body }));
  app.get("/own", (req, res) => res.json({ token: typeof req.csrfToken }));
  app.use((error, _req, res, next) =>
    error === invalidCsrfTokenError ? res.status(403).json({ error: error.message, code: error.code }) : next(error)
  );
}

export const masks = [/[0-9a-f]{64}\.[0-9a-f]{64}/g];

const guarded = (token, more) => ({
  method: "POST",
  path: "/guarded",
  headers: { "Content-Type": "application/json", ...token && { "X-CSRF-Token": token } },
  body: '{"a":1}',
  // the tag depends on the random token
  ignore: ["etag"],
  ...more,
});
const refused = { status: 403, body: { error: "invalid csrf token", code: "EBADCSRFTOKEN" } };

export const requests = [
  {
    path: "/token",
    jar: "a",
    ignore: ["etag"],
    sees: { headers: { "set-cookie": /^psifi\.x-csrf-token=[0-9a-f.]+; Path=\/; HttpOnly; SameSite=Strict$/ } },
  },
  guarded(undefined, { jar: "a", sees: refused }),
  guarded("made.up", { jar: "a", sees: refused }),
  { path: "/token", jar: "b", ignore: ["etag"] },
  { path: "/token", jar: "b", ignore: ["etag"] },
  (answers) => guarded(JSON.parse(answers.at(-1).body).token, { jar: "b", sees: { body: { got: { a: 1 } } } }),
  (answers) => guarded(JSON.parse(answers[4].body).token, { jar: "a", sees: refused }),
  (answers) => guarded(JSON.parse(answers[4].body).token, { sees: refused }),
  { path: "/safe", sees: { body: "safe" } },
  { path: "/own", sees: { body: { token: "function" } } },
  { path: "/again", jar: "b", ignore: ["etag"] },
];

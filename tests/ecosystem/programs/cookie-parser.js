import cookieParser from "cookie-parser";

export const title = "cookie-parser reads plain, signed and JSON cookies";

export default function (app) {
  app.use(cookieParser(["new secret", "old secret"]));
  app.get("/", (req, res) => res.json({ cookies: req.cookies, signed: req.signedCookies, secret: req.secret }));
  app.get("/set", (_req, res) => {
    res.cookie("plain", "a b");
    res.cookie("signed", "value", { signed: true, httpOnly: true });
    res.cookie("object", { deep: [1, 2] }, { signed: true, maxAge: 60_000, sameSite: "lax", secure: false });
    res.send("set");
  });
  app.get("/clear", (_req, res) => res.clearCookie("plain").send("cleared"));
  app.get("/unsign", (req, res) => res.json(cookieParser.signedCookie(req.cookies.raw ?? "", "old secret")));
}

export const requests = [
  { path: "/", sees: { body: { cookies: {}, signed: {}, secret: "new secret" } } },
  { path: "/set", jar: "a", sees: { headers: { "set-cookie": /^signed=s%3Avalue\..+; Path=\/; HttpOnly$/ } } },
  {
    path: "/",
    jar: "a",
    sees: {
      body: { cookies: { plain: "a b" }, signed: { signed: "value", object: { deep: [1, 2] } }, secret: "new secret" },
    },
  },
  { path: "/clear", jar: "a" },
  { path: "/", jar: "a" },
  { path: "/", headers: { Cookie: "signed=s%3Avalue.forged; other=1; json=j%3A%7B%22a%22%3A1%7D; bad=%E0%A4%A" } },
  { path: "/", headers: { Cookie: 'quoted="a b"; twice=1; twice=2; =none; empty=' } },
  { path: "/unsign", headers: { Cookie: "raw=plain" }, sees: { body: '"plain"' } },
];

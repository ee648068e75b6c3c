import favicon from "serve-favicon";

export const title = "serve-favicon answers only requests for the icon";

export default function (app, _lib, tools) {
  app.use(favicon(`${tools.files}/public/favicon.ico`));
  app.use("/buffer", favicon(Buffer.from("icon"), { maxAge: "1h" }));
  app.use((_req, res) => res.send("next"));
}

export const requests = [
  {
    path: "/favicon.ico",
    sees: { headers: { "content-type": "image/x-icon", "cache-control": "public, max-age=31536000", etag: /^"/ } },
  },
  (answers) => ({
    path: "/favicon.ico",
    headers: { "If-None-Match": answers[0].headers.etag },
    sees: { status: 304, body: "" },
  }),
  { method: "HEAD", path: "/favicon.ico", sees: { body: "" } },
  { method: "POST", path: "/favicon.ico", sees: { status: 405, headers: { allow: "GET, HEAD, OPTIONS" } } },
  { method: "OPTIONS", path: "/favicon.ico", sees: { status: 200, headers: { allow: "GET, HEAD, OPTIONS" } } },
  { path: "/buffer/favicon.ico", sees: { body: "icon", headers: { "cache-control": "public, max-age=3600" } } },
  { path: "/", sees: { body: "next" } },
];

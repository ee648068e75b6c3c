import serveIndex from "serve-index";

export const title = "serve-index lists folders as HTML, JSON and text";

export const flags = ["--unsafe-proto"];

export const note = "Deno needs `--unsafe-proto`, because its dependency batch assigns `__proto__`";

export default function (app, lib, tools) {
  app.use(
    "/ftp",
    lib.static(`${tools.files}/public`, { index: false }),
    serveIndex(`${tools.files}/public`, { icons: true }),
  );
  app.use("/plain", serveIndex(`${tools.files}/public`, { hidden: true, view: "details" }));
}

export const requests = [
  { path: "/ftp/", headers: { Accept: "text/html" }, sees: { body: /<a href="\/ftp\/hello\.txt"/ } },
  {
    path: "/ftp/",
    headers: { Accept: "application/json" },
    sees: { body: ["sub", "a file.txt", "favicon.ico", "hello.txt", "index.html", "long.txt"] },
  },
  { path: "/ftp/", headers: { Accept: "text/plain" }, sees: { body: /^hello\.txt$/m } },
  { path: "/ftp/", headers: { Accept: "image/png" }, sees: { status: 406 } },
  { path: "/ftp/sub/", headers: { Accept: "application/json" }, sees: { body: ["page.html"] } },
  { path: "/ftp/hello.txt", sees: { body: "hello\n" } },
  { path: "/ftp/missing", sees: { status: 404 } },
  { path: "/plain", headers: { Accept: "text/html" } },
  { path: "/plain/", headers: { Accept: "application/json" }, sees: { body: /"\.hidden"/ } },
  { method: "HEAD", path: "/ftp/", sees: { body: "" } },
  { method: "OPTIONS", path: "/ftp/", sees: { headers: { allow: "GET, HEAD, OPTIONS" } } },
  { method: "POST", path: "/plain/", sees: { status: 405 } },
];

import serveStatic from "serve-static";

export const title = "serve-static serves files with ranges, validators and redirects";

export default function (app, _lib, tools) {
  const folder = `${tools.files}/public`;
  app.use("/strict", serveStatic(folder, { fallthrough: false, index: false, redirect: false }));
  app.use(
    "/own",
    serveStatic(folder, {
      extensions: ["html"],
      maxAge: "1d",
      immutable: true,
      dotfiles: "allow",
      setHeaders: (res, path) => res.setHeader("X-File", path.slice(folder.length)),
    }),
  );
  app.use(serveStatic(folder, { index: ["default.html", "index.html"] }));
  app.use((_req, res) => res.status(404).send("no such file"));
}

const aboutFile = {
  parts: ["etag", "last-modified"],
  why: "the page for an error does not carry the `ETag` and `Last-Modified` of the file that could not be sent",
};

export const requests = [
  {
    path: "/hello.txt",
    sees: {
      body: "hello\n",
      headers: { "content-type": "text/plain; charset=utf-8", "accept-ranges": "bytes", etag: /^W\// },
    },
  },
  { path: "/", sees: { body: /<h1>index<\/h1>/, headers: { "content-type": "text/html; charset=utf-8" } } },
  { path: "/long.txt", headers: { Range: "bytes=0-9" }, sees: { status: 206, headers: { "content-length": "10" } } },
  { path: "/long.txt", headers: { Range: "bytes=-5" }, sees: { status: 206 } },
  {
    path: "/long.txt",
    headers: { Range: "bytes=999999-" },
    sees: { status: 416, headers: { "content-range": /^bytes \*\// } },
    differs: aboutFile,
  },
  { path: "/long.txt", headers: { Range: "bytes=0-1,5-6" } },
  (answers) => ({
    path: "/hello.txt",
    headers: { "If-None-Match": answers[0].headers.etag },
    sees: { status: 304, body: "" },
  }),
  (answers) => ({
    path: "/hello.txt",
    headers: { "If-Modified-Since": answers[0].headers["last-modified"] },
    sees: { status: 304 },
  }),
  { path: "/hello.txt", headers: { "If-Match": '"other"' }, sees: { status: 412 }, differs: aboutFile },
  { method: "HEAD", path: "/hello.txt", sees: { body: "", headers: { "content-length": "6" } } },
  { method: "POST", path: "/hello.txt", sees: { status: 404, body: "no such file" } },
  { path: "/sub", sees: { status: 301, headers: { location: "/sub/" } } },
  { path: "/sub?a=b", sees: { status: 301 } },
  { path: "/sub/", sees: { status: 404, body: "no such file" } },
  { path: "/.hidden", sees: { status: 404 } },
  { path: "/own/.hidden", sees: { body: "hidden\n" } },
  {
    path: "/own/index",
    sees: { headers: { "cache-control": "public, max-age=86400, immutable", "x-file": "/index.html" } },
  },
  { path: "/own/sub/page", sees: { body: /<h1>page<\/h1>/ } },
  { path: "/strict/missing", sees: { status: 404 } },
  { method: "POST", path: "/strict/hello.txt", sees: { status: 405, headers: { allow: "GET, HEAD" } } },
  { path: "/strict/sub", sees: { status: 404 } },
  { path: "/%2e%2e/secret", sees: { status: 404 } },
  { path: "/strict/..%2f..%2fsecret", sees: { status: 403 } },
  { path: "/bad%00name", sees: { status: 404 } },
  { path: "/a%20file.txt", sees: { body: "spaces\n" } },
];

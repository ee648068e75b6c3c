export const title = "Vite's development server runs as middleware";
export const packages = { vite: "8.3.8" };

export const masks = [/const wsToken = "[^"]+"/g, /field-vite-\w+/g, /\?t=\d+/g, /sourceMappingURL=[^\s]+/g];
// derived from what is masked above
const ignore = ["etag", "content-length"];

export const requests = [
  { path: "/api" },
  { path: "/", ignore },
  { path: "/a/page", ignore },
  { path: "/main.js", ignore },
  { path: "/text.ts", ignore },
  { path: "/style.css", headers: { Accept: "text/css" }, ignore },
  { path: "/style.css?import", ignore },
  { path: "/@vite/client", ignore: [...ignore, "last-modified"] },
  { path: "/text.ts", method: "HEAD", ignore },
  { path: "/%ff", ignore },
  { path: "/@fs/etc/passwd", ignore },
];

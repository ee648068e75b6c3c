export const title = "webpack's middleware serves bundles from memory";
export const packages = { webpack: "5.113.0", "webpack-dev-middleware": "8.6.1", "webpack-hot-middleware": "2.26.1" };

const ignore = ["etag"];

export const requests = [
  { path: "/assets/main.js", ignore },
  { path: "/assets/main.js", method: "HEAD", ignore },
  { path: "/assets/main.js", headers: { Range: "bytes=0-9" }, ignore },
  { path: "/assets/main.js", headers: { Range: "bytes=9999999-" }, ignore },
  { path: "/assets/main.js", method: "POST", ignore },
  (answers) => ({ path: "/assets/main.js", headers: { "If-None-Match": answers[0].headers.etag }, ignore }),
  { path: "/assets/nothing.js", ignore },
  { path: "/assets/../index.js", ignore },
  { path: "/assets/%ff", ignore },
];

export const title = "NestJS serves controllers, guards, pipes, uploads and streams";
export const packages = {
  "@nestjs/common": "12.5.1",
  "@nestjs/core": "12.5.1",
  "@nestjs/platform-express": "12.5.1",
  "reflect-metadata": "0.2.2",
  "rxjs": "7.8.2",
};

const upload = [
  "--b",
  'Content-Disposition: form-data; name="note"',
  "",
  "a note",
  "--b",
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  "Content-Type: text/plain",
  "",
  "the file",
  "--b--",
  "",
].join("\r\n");
const json = { "Content-Type": "application/json" };

export const requests = [
  { path: "/api/cats?a=1&b[]=2&b[]=3" },
  { path: "/api/cats/7" },
  { path: "/api/cats/404" },
  { path: "/api/cats/seven" },
  { path: "/api/cats/refused" },
  { path: "/api/cats/broken" },
  { path: "/api/cats/moved" },
  { path: "/api/cats/text" },
  { path: "/api/cats/stream" },
  { path: "/api/cats/raw/1" },
  { path: "/api/cats/secret" },
  { path: "/api/cats/secret", headers: { "X-Key": "right" } },
  { path: "/api/cats/later" },
  { path: "/api/cats", method: "POST", headers: json, body: '{"name":"Tom"}' },
  { path: "/api/cats", method: "POST", headers: json, body: "{" },
  { path: "/api/cats", method: "POST", headers: json, body: JSON.stringify("x".repeat(200_000)) },
  { path: "/api/cats", method: "POST", headers: { "Content-Type": "text/plain" }, body: "text" },
  {
    path: "/api/cats/upload",
    method: "POST",
    headers: { "Content-Type": "multipart/form-data; boundary=b" },
    body: upload,
  },
  { path: "/api/cats/7", method: "HEAD" },
  { path: "/api/cats/7", method: "PATCH" },
  {
    path: "/api/cats",
    method: "OPTIONS",
    headers: { Origin: "http://one.example", "Access-Control-Request-Method": "PUT" },
    differs: {
      parts: ["content-length"],
      why: "the `Content-Length: 0` that cors sets on a 204 is not sent, as RFC 9110 (section 8.6) demands",
    },
  },
  { path: "/api/cats/7", headers: { Origin: "http://one.example" } },
  { path: "/elsewhere" },
  { path: "/api/cats/%ff" },
];

export const title = "express-openapi-validator checks requests and responses by a document";
export const packages = { "express-openapi-validator": "5.6.2" };

const post = (body) => ({
  path: "/v1/notes",
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

export const requests = [
  { path: "/v1/notes?limit=3" },
  { path: "/v1/notes?limit=11" },
  { path: "/v1/notes" },
  { path: "/v1/notes?limit=3&unknown=1" },
  { ...post({ text: "ok", n: 1 }) },
  { ...post({ text: "x" }) },
  { ...post({ text: "ok", more: 1 }) },
  { path: "/v1/notes/x" },
  { path: "/v1/notes/7" },
  { path: "/v1/other" },
];

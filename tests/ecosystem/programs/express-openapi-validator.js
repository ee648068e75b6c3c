import OpenApiValidator from "express-openapi-validator";

export const title = "express-openapi-validator checks requests and responses by a document";

const note = {
  type: "object",
  required: ["text"],
  properties: { text: { type: "string", minLength: 2 }, n: { type: "integer" } },
  additionalProperties: false,
};

const apiSpec = {
  openapi: "3.1.0",
  info: { title: "Notes", version: "1" },
  paths: {
    "/v1/notes": {
      get: {
        parameters: [{ name: "limit", in: "query", required: true, schema: { type: "integer", maximum: 10 } }],
        responses: { 200: { description: "some", content: { "application/json": { schema: { type: "object" } } } } },
      },
      post: {
        requestBody: { required: true, content: { "application/json": { schema: note } } },
        responses: { 201: { description: "it", content: { "application/json": { schema: note } } } },
      },
    },
    "/v1/notes/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: { responses: { 200: { description: "one", content: { "application/json": { schema: note } } } } },
    },
  },
};

export default function (app, express) {
  app.use("/v1", express.json());
  app.use(OpenApiValidator.middleware({ apiSpec, validateResponses: true }));
  app.get("/v1/notes", (req, res) => res.json({ limit: req.query.limit, isNumber: typeof req.query.limit }));
  app.post("/v1/notes", (req, res) => res.status(201).json(req.body));
  // what it responds is not what the document says
  app.get("/v1/notes/:id", (req, res) => res.json({ txt: typeof req.params.id }));
  app.use((error, _req, res, _next) => {
    res.status(error.status || 500).json({ message: error.message, errors: error.errors });
  });
}

const post = (body) => ({
  path: "/v1/notes",
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

export const requests = [
  { path: "/v1/notes?limit=3", sees: { status: 200 } },
  { path: "/v1/notes?limit=11", sees: { status: 400, body: /must be <= 10/ } },
  { path: "/v1/notes", sees: { status: 400, body: /required/ } },
  { path: "/v1/notes?limit=3&unknown=1", sees: { status: 400, body: /Unknown query parameter/ } },
  { ...post({ text: "ok", n: 1 }), sees: { status: 201, body: /"n":1/ } },
  { ...post({ text: "x" }), sees: { status: 400, body: /2 characters/ } },
  { ...post({ text: "ok", more: 1 }), sees: { status: 400, body: /additional properties/ } },
  { path: "/v1/notes/x", sees: { status: 400, body: /must be integer/ } },
  { path: "/v1/notes/7", sees: { status: 500, body: /required property 'text'/ } },
  { path: "/v1/other", sees: { status: 404, body: /not found/ } },
];

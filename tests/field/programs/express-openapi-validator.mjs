import express from "express";
import * as OpenApiValidator from "express-openapi-validator";

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

export async function start() {
  const app = express();
  app.use("/v1", express.json());
  app.use(OpenApiValidator.middleware({ apiSpec, validateResponses: true }));
  app.get("/v1/notes", (req, res) => res.json({ limit: req.query.limit, isNumber: typeof req.query.limit }));
  app.post("/v1/notes", (req, res) => res.status(201).json(req.body));
  // the response does not match the document
  app.get("/v1/notes/:id", (req, res) => res.json({ txt: typeof req.params.id }));
  app.use((error, _req, res, _next) => {
    res.status(error.status || 500).json({ message: error.message, errors: error.errors });
  });
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  return { server, close: () => server.close() };
}

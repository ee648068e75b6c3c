import swaggerUi from "swagger-ui-express";

export const title = "swagger-ui-express shows an API description";

export default function (app) {
  const document = {
    openapi: "3.0.0",
    info: { title: "Things", version: "1" },
    paths: { "/things": { get: { responses: { 200: { description: "all" } } } } },
  };
  app.use(
    "/api-docs",
    swaggerUi.serve,
    swaggerUi.setup(document, { explorer: true, customCss: ".topbar { display: none }", customSiteTitle: "Things" }),
  );
  app.use("/files", swaggerUi.serveFiles(document, {}), swaggerUi.setup(document));
}

// Deno and Node round a file's time differently, by a ms
const ignore = ["etag"];

export const requests = [
  { path: "/api-docs/", sees: { body: /<title>Things<\/title>[^]*\.topbar \{ display: none \}/ } },
  { path: "/api-docs", sees: { status: 301, headers: { location: "/api-docs/" } } },
  {
    path: "/api-docs/swagger-ui-init.js",
    sees: { body: /"title": "Things"/, headers: { "content-type": /javascript/ } },
  },
  { path: "/api-docs/swagger-ui.css", ignore, sees: { headers: { "content-type": "text/css; charset=utf-8" } } },
  { path: "/api-docs/favicon-32x32.png", ignore, sees: { headers: { "content-type": "image/png" } } },
  { path: "/api-docs/swagger-ui-bundle.js", ignore, headers: { Range: "bytes=0-99" }, sees: { status: 206 } },
  { path: "/files/swagger-ui-init.js", sees: { body: /"title": "Things"/ } },
];

import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import { assertApplication, openapi, type WithRoutes } from "../document/openapi.ts";
import type { OpenApiDocument } from "../document/openapi_document.ts";
import { Wildcards } from "./client_routes.ts";
import { clientText } from "./client_text.ts";

/**
 * How to generate a client.
 *
 * @example Using the document that is also served
 * ```ts
 * import { openapi } from "@sluice/openapi";
 * import { generateClient } from "@sluice/openapi/generate";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/notes/:id", (req, res) => res.json({ id: req.params.id }));
 *
 * const document = openapi(app, { title: "Notes", version: "2.0.0" });
 * console.log(generateClient(app, { document, command: "npm run client" }).includes("npm run client")); // true
 * ```
 */
export interface GenerateOptions {
  /** The document that defines what routes accept; by default the one from `openapi`, without further options. */
  readonly document?: OpenApiDocument;
  /** The command that regenerates the file, for its first lines. */
  readonly command?: string;
}

const NAMES: OptionNames<GenerateOptions> = { document: true, command: true };

/**
 * Generates a TypeScript module with types for all of an application's routes and a function `createClient`, which
 * calls them over `fetch`. It imports `@sluice/openapi/client`, and nothing from the application. Paths and methods
 * need no schemas; the schemas given to `validate`, for requests and responses, type the rest.
 *
 * @param app The application, or a router
 * @param options How to generate it
 * @returns The module's source; the same routes give the same source
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example A build that generates the client itself
 * ```ts
 * import { generateClient } from "@sluice/openapi/generate";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/notes/:id", (req, res) => res.json({ id: req.params.id }));
 *
 * const text = generateClient(app);
 * console.log(text.includes('"/notes/:id"')); // true
 * ```
 */
export function generateClient(app: WithRoutes, options: GenerateOptions = {}): string {
  assertApplication("generateClient", app, "write generateClient(app), or generateClient(app, { document })");
  checkNames("generateClient", options, NAMES);
  checkType("generateClient", "command", options.command, "string");
  const { document = openapi(app, { title: "Client", version: "1" }), command = "generateClient" } = options;
  if (Object(document).paths === undefined) {
    refuseOption("generateClient", "document", "what openapi(app, info) returns", document);
  }
  return clientText({ document, wildcards: new Wildcards(app.getRegisteredRoutes("", { details: true })), command });
}

import { checkNames, checkType, type OptionNames } from "@sluice/shared";
import { openapi, type WithRoutes } from "../document/openapi.ts";
import type { OpenApiDocument } from "../document/openapi_document.ts";
import { Wildcards } from "./client_routes.ts";
import { clientText } from "./client_text.ts";

/** How a client is written. */
export interface GenerateOptions {
  /** The document that says what routes take; by default that of `openapi`, without further options. */
  readonly document?: OpenApiDocument;
  /** The command that writes the file again, for its first lines. */
  readonly command?: string;
}

const NAMES: OptionNames<GenerateOptions> = { document: true, command: true };

/**
 * Writes a module of TypeScript with the types of all routes of an application and a function `createClient`, which calls
 * them over `fetch`. It imports `@sluice/openapi/client`, and nothing of the application. Paths and methods need no
 * schemas; what `validate` checks by, and responds with, types the rest.
 *
 * @param app The application, or a router
 * @param options How it is written
 * @returns The text of the module; the same routes give the same text
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example A build writes the client itself
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
  checkNames("generateClient", options, NAMES);
  checkType("generateClient", "command", options.command, "string");
  const { document = openapi(app, { title: "Client", version: "1" }), command = "generateClient" } = options;
  return clientText({ document, wildcards: new Wildcards(app.getRegisteredRoutes("", { details: true })), command });
}

/**
 * Writes a typed client of an application's routes: what `sluice client` does, for programs of their own.
 *
 * @module
 */
export { generateClient, type GenerateOptions } from "./src/generate/generate_client.ts";
export type { OpenApiDocument } from "./src/document/openapi_document.ts";
export type { WithRoutes } from "./src/document/openapi.ts";

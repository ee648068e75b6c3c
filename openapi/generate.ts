/**
 * Generates a typed client for an application's routes: `sluice client`, for your own scripts.
 *
 * @module
 */
export { generateClient, type GenerateOptions } from "./src/generate/generate_client.ts";
export type { OpenApiDocument } from "./src/document/openapi_document.ts";
export type { WithRoutes } from "./src/document/openapi.ts";

/**
 * Validation, and an OpenAPI document, from the same routes: `validate` checks requests by the schemas of any library that
 * has Standard Schema.
 *
 * @module
 */
export { validate, type ValidateOptions } from "./src/validate/validate.ts";
export type { RequestPart, RequestSchemas, ResponseSchemas } from "./src/metadata/route_schemas.ts";

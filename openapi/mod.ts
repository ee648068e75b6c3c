/**
 * Validation, and an OpenAPI document, from the same routes: `validate` checks requests by the schemas of any library that
 * has Standard Schema.
 *
 * @module
 */
export { type OutputOf, validate, type Validated, type ValidateOptions } from "./src/validate/validate.ts";
export type { Invalid } from "./src/validate/invalid.ts";
export type { RequestPart, RequestSchemas, ResponseSchemas } from "./src/metadata/route_schemas.ts";

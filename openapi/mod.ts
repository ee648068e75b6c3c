/**
 * Validation, and an OpenAPI document, from the same routes: `validate` checks requests by the schemas of any library that
 * has Standard Schema, `openapi` makes the document of what they are, and `operation` says what no schema tells.
 *
 * @module
 */
export type { AnySchema, OutputOf, SchemaIssue, SchemaResult } from "./src/metadata/standard_schema.ts";
export {
  type SchemaOf,
  validate,
  type Validated,
  type ValidateOptions,
  type ValidName,
} from "./src/validate/validate.ts";
export type { Invalid } from "./src/validate/invalid.ts";
export type { RequestPart, RequestSchemas, ResponseSchemas } from "./src/metadata/route_schemas.ts";
export { type FileDetails, operation, type OperationDetails, type ResponseDetails } from "./src/metadata/operation.ts";
export { openapi, type OpenApiOptions, type WithRoutes } from "./src/document/openapi.ts";
export type { ToJsonSchema } from "./src/document/json_schema.ts";
export type {
  JsonSchema,
  NotExpressible,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiMedia,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiServer,
  OpenApiTag,
  SecurityRequirement,
} from "./src/document/openapi_document.ts";

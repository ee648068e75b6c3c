/**
 * Pages to read an OpenAPI document and try its operations: `openapiPages`, for `app.use("/docs", …)`.
 *
 * @module
 */
export { openapiPages, type OpenApiPagesOptions } from "./src/pages/openapi_pages.ts";
export type { OpenApiOptions, WithRoutes } from "./src/document/openapi.ts";
export type { JsonSchema, ToJsonSchema } from "./src/schema/json_schema.ts";
export type { OutgoingRequest, ResponseDetails } from "./src/metadata/operation.ts";
export type { AnySchema, SchemaIssue, SchemaResult } from "./src/metadata/standard_schema.ts";
export type {
  NotExpressible,
  OpenApiInfo,
  OpenApiServer,
  OpenApiTag,
  SecurityRequirement,
} from "./src/document/openapi_document.ts";

/**
 * Validation and an OpenAPI document from the same routes. `validate` checks requests against schemas from any Standard
 * Schema library, and `openapi` generates the document from them. `operation` adds what schemas cannot express, and
 * `agentTools` turns the document into tools for an agent.
 *
 * @module
 */
export type { AnySchema, InputOf, OutputOf, SchemaIssue, SchemaResult } from "./src/metadata/standard_schema.ts";
export {
  type BodiesOf,
  type ResponsesName,
  type SchemaOf,
  validate,
  type Validated,
  type ValidateOptions,
  type ValidName,
} from "./src/validate/validate.ts";
export type { Invalid } from "./src/validate/invalid.ts";
export type { RequestPart, RequestSchemas, ResponseSchemas } from "./src/metadata/route_schemas.ts";
export {
  type Callback,
  type FileDetails,
  operation,
  type OperationDetails,
  type OutgoingRequest,
  type ResponseDetails,
} from "./src/metadata/operation.ts";
export type { Serialization, Serializations, SerializationStyle } from "./src/metadata/serialization.ts";
export { openapi, type OpenApiOptions, type WithRoutes } from "./src/document/openapi.ts";
export type { JsonSchema, ToJsonSchema } from "./src/schema/json_schema.ts";
export {
  type AgentRequest,
  type AgentResult,
  type AgentTool,
  agentTools,
  type Injectable,
} from "./src/tools/agent_tools.ts";
export type {
  NotExpressible,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiMedia,
  OpenApiOperation,
  OpenApiOutgoing,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiServer,
  OpenApiTag,
  SecurityRequirement,
} from "./src/document/openapi_document.ts";

import type { JsonSchema } from "../schema/json_schema.ts";

export type { JsonSchema };

/** Who a document is about: the info object of OpenAPI 3.1. */
export interface OpenApiInfo {
  /** Name of the API. */
  readonly title: string;
  /** Version of the API, not that of OpenAPI. */
  readonly version: string;
  /** One line. */
  readonly summary?: string;
  /** As long as it needs to be, in CommonMark. */
  readonly description?: string;
  /** URL of the terms of service. */
  readonly termsOfService?: string;
  /** Whom to ask. */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** Under which licence it is. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** Where an API is served. */
export interface OpenApiServer {
  /** Its URL, which may be relative to that of the document. */
  readonly url: string;
  /** What it is, in CommonMark. */
  readonly description?: string;
}

/** A group of operations. */
export interface OpenApiTag {
  /** Its name. */
  readonly name: string;
  /** What it is, in CommonMark. */
  readonly description?: string;
}

/** Schemes that one request satisfies together, by their names, each with its scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** A parameter of a request. */
export interface OpenApiParameter {
  /** Its name. */
  name: string;
  /** The part of the request that it is in. */
  in: "path" | "query" | "header" | "cookie";
  /** Whether a request without it is refused. */
  required?: boolean;
  /** What it is, in CommonMark. */
  description?: string;
  /** Whether it will be removed. */
  deprecated?: boolean;
  /** How an object or an array is written. */
  style?: string;
  /** Whether each of its values is a parameter of its own. */
  explode?: boolean;
  /** What its value must be. */
  schema: JsonSchema;
  /** A value. */
  example?: unknown;
}

/** A body of one media type. */
export interface OpenApiMedia {
  /** What it must be. */
  schema?: JsonSchema;
  /** A body. */
  example?: unknown;
  /** How parts of a form are encoded, by their names. */
  encoding?: Record<string, { contentType?: string; style?: string; explode?: boolean }>;
}

/** A response. */
export interface OpenApiResponse {
  /** When it is sent. */
  description: string;
  /** Its headers, by their names. */
  headers?: Record<string, { description?: string; schema: JsonSchema }>;
  /** Its body, by media type. */
  content?: Record<string, OpenApiMedia>;
}

/** One method of one path. */
export interface OpenApiOperation {
  /** Its name, the only one in the document. */
  operationId: string;
  /** One line. */
  summary?: string;
  /** As long as it needs to be, in CommonMark. */
  description?: string;
  /** The groups that it is in. */
  tags?: readonly string[];
  /** Whether it will be removed. */
  deprecated?: boolean;
  /** What authorises a request: one of the list. */
  security?: readonly SecurityRequirement[];
  /** Parameters in all parts but the body. */
  parameters?: OpenApiParameter[];
  /** The body. */
  requestBody?: { required?: boolean; content: Record<string, OpenApiMedia> };
  /** Responses, by status. */
  responses: Record<string, OpenApiResponse>;
  /** Requests that the server sends, by their names and the expressions for their URLs. */
  callbacks?: Record<string, Record<string, Record<string, OpenApiOutgoing>>>;
  /** Where it is served, if elsewhere. */
  servers?: readonly OpenApiServer[];
  /** Extensions of OpenAPI. */
  [extension: `x-${string}`]: unknown;
}

/** A request that the server sends: a callback or a webhook. */
export interface OpenApiOutgoing {
  /** Its name, the only one in the document. */
  operationId?: string;
  /** One line. */
  summary?: string;
  /** As long as it needs to be, in CommonMark. */
  description?: string;
  /** Its headers. */
  parameters?: OpenApiParameter[];
  /** Its body. */
  requestBody?: { required?: boolean; content: Record<string, OpenApiMedia> };
  /** What it is responded with, by status. */
  responses: Record<string, OpenApiResponse>;
}

/** A route, or a part of one, that OpenAPI or JSON Schema cannot express. */
export interface NotExpressible {
  /** Method of the route. */
  readonly method: string;
  /** Path of the route, as it was registered. */
  readonly path: string;
  /** What cannot be expressed, and why. */
  readonly reason: string;
}

/** A document of OpenAPI 3.1. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  openapi: string;
  /** Who it is about. */
  info: OpenApiInfo;
  /** Where the API is served. */
  servers?: readonly OpenApiServer[];
  /** Operations by path and by method in lower case. */
  paths: Record<string, Record<string, OpenApiOperation>>;
  /** Requests that the server sends, by their names and by method in lower case. */
  webhooks?: Record<string, Record<string, OpenApiOutgoing>>;
  /** Schemas and security schemes, by their names. */
  components?: { schemas?: Record<string, JsonSchema>; securitySchemes?: Record<string, Record<string, unknown>> };
  /** What authorises requests, unless an operation says otherwise. */
  security?: readonly SecurityRequirement[];
  /** The groups of operations. */
  tags?: readonly OpenApiTag[];
  /** What is missing. */
  "x-not-expressible"?: readonly NotExpressible[];
}

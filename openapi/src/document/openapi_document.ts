import type { JsonSchema } from "../schema/json_schema.ts";

export type { JsonSchema };

/** OpenAPI 3.1's info object. */
export interface OpenApiInfo {
  /** The API's name. */
  readonly title: string;
  /** The API's version, not OpenAPI's. */
  readonly version: string;
  /** A one-line summary. */
  readonly summary?: string;
  /** A description in CommonMark. */
  readonly description?: string;
  /** URL for the terms of service. */
  readonly termsOfService?: string;
  /** Contact for questions. */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** The licence. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** Where an API is served. */
export interface OpenApiServer {
  /** Its URL, which may be relative to the document's. */
  readonly url: string;
  /** A description in CommonMark. */
  readonly description?: string;
}

/** A group of operations. */
export interface OpenApiTag {
  /** Its name. */
  readonly name: string;
  /** A description in CommonMark. */
  readonly description?: string;
}

/** Schemes that a request must satisfy together, by name, each with its scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** A request parameter. */
export interface OpenApiParameter {
  /** Its name. */
  name: string;
  /** Its location in the request. */
  in: "path" | "query" | "header" | "cookie";
  /** Whether requests without it are rejected. */
  required?: boolean;
  /** A description in CommonMark. */
  description?: string;
  /** Whether it is deprecated. */
  deprecated?: boolean;
  /** How an object or an array is serialized. */
  style?: string;
  /** Whether each of its values is a separate parameter. */
  explode?: boolean;
  /** Its value's schema. */
  schema: JsonSchema;
  /** An example value. */
  example?: unknown;
}

/** A body with one media type. */
export interface OpenApiMedia {
  /** Its schema. */
  schema?: JsonSchema;
  /** An example body. */
  example?: unknown;
  /** How form parts are encoded, by name. */
  encoding?: Record<string, { contentType?: string; style?: string; explode?: boolean }>;
}

/** A response. */
export interface OpenApiResponse {
  /** When it is sent. */
  description: string;
  /** Its headers, by name. */
  headers?: Record<string, { description?: string; schema: JsonSchema }>;
  /** Its body, by media type. */
  content?: Record<string, OpenApiMedia>;
}

/** One method on one path. */
export interface OpenApiOperation {
  /** Its name, unique in the document. */
  operationId: string;
  /** A one-line summary. */
  summary?: string;
  /** A description in CommonMark. */
  description?: string;
  /** Its groups. */
  tags?: readonly string[];
  /** Whether it is deprecated. */
  deprecated?: boolean;
  /** Schemes that authorise a request: any one in the list. */
  security?: readonly SecurityRequirement[];
  /** Parameters outside the body. */
  parameters?: OpenApiParameter[];
  /** The body. */
  requestBody?: { required?: boolean; content: Record<string, OpenApiMedia> };
  /** Responses, by status. */
  responses: Record<string, OpenApiResponse>;
  /** Requests that the server sends, by name and by expression for their URL. */
  callbacks?: Record<string, Record<string, Record<string, OpenApiOutgoing>>>;
  /** Servers, if they differ from the document's. */
  servers?: readonly OpenApiServer[];
  /** OpenAPI extensions. */
  [extension: `x-${string}`]: unknown;
}

/** A request that the server sends: a callback or a webhook. */
export interface OpenApiOutgoing {
  /** Its name, unique in the document. */
  operationId?: string;
  /** A one-line summary. */
  summary?: string;
  /** A description in CommonMark. */
  description?: string;
  /** Its headers. */
  parameters?: OpenApiParameter[];
  /** Its body. */
  requestBody?: { required?: boolean; content: Record<string, OpenApiMedia> };
  /** Expected responses, by status. */
  responses: Record<string, OpenApiResponse>;
}

/** A route, or a part of one, that OpenAPI or JSON Schema cannot express. */
export interface NotExpressible {
  /** The route's method. */
  readonly method: string;
  /** The route's path, as registered. */
  readonly path: string;
  /** The part that cannot be expressed, and why. */
  readonly reason: string;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  /** The OpenAPI version. */
  openapi: string;
  /** The info object. */
  info: OpenApiInfo;
  /** Where the API is served. */
  servers?: readonly OpenApiServer[];
  /** Operations by path and by method in lower case. */
  paths: Record<string, Record<string, OpenApiOperation>>;
  /** Requests that the server sends, by name and by method in lower case. */
  webhooks?: Record<string, Record<string, OpenApiOutgoing>>;
  /** Schemas and security schemes, by name. */
  components?: { schemas?: Record<string, JsonSchema>; securitySchemes?: Record<string, Record<string, unknown>> };
  /** Schemes that authorise requests, unless an operation overrides them. */
  security?: readonly SecurityRequirement[];
  /** The operation groups. */
  tags?: readonly OpenApiTag[];
  /** Anything that the document cannot express. */
  "x-not-expressible"?: readonly NotExpressible[];
}

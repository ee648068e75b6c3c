import {
  checkNames,
  checkObject,
  checkType,
  describe,
  isThenable,
  type OptionNames,
  refuseOption,
} from "@sluice/shared";
import type { DetailedRoute } from "@sluice/sluice";
import type { RequestPart } from "../metadata/route_schemas.ts";
import { checkDescribed, checkSecurity, checkStrings } from "../metadata/document_fields.ts";
import { checkOutgoing, type OutgoingRequest, type ResponseDetails } from "../metadata/operation.ts";
import { convertSchema } from "../schema/convert_schema.ts";
import type { Direction, JsonSchema, ToJsonSchema } from "../schema/json_schema.ts";
import { Components } from "./components.ts";
import type {
  NotExpressible,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiOutgoing,
  OpenApiServer,
  OpenApiTag,
  SecurityRequirement,
} from "./openapi_document.ts";
import { OperationIds } from "./operation_ids.ts";
import { PARAMETER_PARTS, type ParameterPart, partParameters, pathParameters } from "./parameters.ts";
import { type PathTemplate, pathTemplates } from "./path_templates.ts";
import { requestBody } from "./request_body.ts";
import { response, responsesOf } from "./responses.ts";
import { type RouteFacts, routeFacts } from "./route_facts.ts";
import type { AnySchema, SchemaResult } from "../metadata/standard_schema.ts";

/** An application or a router. */
export interface WithRoutes {
  /** Lists its routes with all middleware before their handlers. */
  getRegisteredRoutes(prefix: string, options: { readonly details: true }): DetailedRoute[];
}

/**
 * Parts of a document besides the routes.
 *
 * @example A server, and who may use it
 * ```ts
 * import { openapi } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 *
 * const document = openapi(sluice(), { title: "Notes", version: "1.0.0" }, {
 *   servers: [{ url: "https://api.example" }],
 *   securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
 *   security: [{ bearer: [] }],
 * });
 * console.log(document.servers?.[0]?.url); // https://api.example
 * ```
 */
export interface OpenApiOptions {
  /** Where the API is served; by default at the document's origin. */
  readonly servers?: readonly OpenApiServer[];
  /** Tag descriptions; tags that appear only on routes have none. */
  readonly tags?: readonly OpenApiTag[];
  /** Security schemes by name: `{ bearer: { type: "http", scheme: "bearer" } }`. */
  readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Schemes that authorise requests, unless `operation` overrides them: any one in the list. */
  readonly security?: readonly SecurityRequirement[];
  /** Names for schemas that have none. */
  readonly schemas?: Readonly<Record<string, unknown>>;
  /** Converts schemas that cannot convert themselves to JSON Schema. */
  readonly toJsonSchema?: ToJsonSchema;
  /** Prefix for every path, for a router that is mounted elsewhere. */
  readonly prefix?: string;
  /** Requests that the program sends to its subscribers, by name: `{ paid: { body: Invoice } }`. */
  readonly webhooks?: Readonly<Record<string, OutgoingRequest>>;
}

const NAMES: OptionNames<OpenApiOptions> = {
  servers: true,
  tags: true,
  securitySchemes: true,
  security: true,
  schemas: true,
  toJsonSchema: true,
  prefix: true,
  webhooks: true,
};

const INFO_NAMES: OptionNames<OpenApiInfo> = {
  title: true,
  version: true,
  summary: true,
  description: true,
  termsOfService: true,
  contact: true,
  license: true,
};

const CONTACT_NAMES: OptionNames<NonNullable<OpenApiInfo["contact"]>> = { name: true, url: true, email: true };
const LICENSE_NAMES: OptionNames<NonNullable<OpenApiInfo["license"]>> = { name: true, identifier: true, url: true };

const SCHEME_TYPES = ["apiKey", "http", "mutualTLS", "oauth2", "openIdConnect"];

const CALL = 'write openapi(app, { title: "Books", version: "1.0.0" }, options)';

/** Options from swagger-jsdoc, Fastify's swagger and express-openapi. */
const INSTEAD = {
  info: CALL,
  definition: CALL,
  openapi: CALL,
  path: 'the document is an object: app.get("/openapi.json", (_req, res) => res.json(openapi(app, info)))',
  apis: "routes are found in the application",
};

const HIDE = "put operation({ hide: true }) before the route's handler";
const HIDING = { exclude: HIDE, hide: HIDE, hidden: HIDE, ignore: HIDE };

/** The methods supported by OpenAPI 3.1. */
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** The methods listed for a route that handles every method. */
const OF_ALL = ["get", "put", "post", "delete", "patch"];

/**
 * Creates an OpenAPI 3.1 document for the registered routes, including those in mounted routers. Its schemas are the
 * ones that `validate` checks against: their input types describe requests, their output types responses. Anything that
 * cannot be expressed is listed under `x-not-expressible`, with its route and the reason.
 *
 * @param app The application, or a router
 * @param info The API's title and version, and other fields in the info object
 * @param options Fields that the routes do not define
 * @returns A new document, serializable as JSON
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example The document for a small API
 * ```ts
 * import { openapi, validate } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 * import { z } from "zod";
 *
 * const app = sluice();
 * app.get("/notes/:id", validate({ params: z.object({ id: z.coerce.number() }) }), (req, res) => res.json(req.params));
 *
 * const document = openapi(app, { title: "Notes", version: "1.0.0" });
 * console.log(Object.keys(document.paths)); // [ "/notes/{id}" ]
 * ```
 */
export function openapi(app: WithRoutes, info: OpenApiInfo, options: OpenApiOptions = {}): OpenApiDocument {
  checkDocument(app, info, options);
  return new DocumentBuilder(options).build(app, info);
}

/**
 * Checks a document's inputs.
 *
 * @param app The application
 * @param info The info object
 * @param options The options
 * @throws {TypeError} If one is unknown or of the wrong type
 */
export function checkDocument(app: WithRoutes, info: OpenApiInfo, options: OpenApiOptions): void {
  if (!isApplication(app) || typeof info !== "object" || info === null) {
    throw new TypeError(`openapi cannot take ${describe(app)} and ${describe(info)}; ${CALL}`);
  }
  checkNames("openapi: info", info, INFO_NAMES, INSTEAD);
  for (const name of ["title", "version"] as const) {
    if (typeof info[name] !== "string") refuseOption("openapi: info", name, "a string", info[name]);
  }
  checkStrings("openapi: info", info, ["summary", "description", "termsOfService"]);
  const { contact = {}, license = { name: "" } } = info;
  checkNames("openapi: info.contact", contact, CONTACT_NAMES);
  checkNames("openapi: info.license", license, LICENSE_NAMES);
  checkStrings("openapi: info", contact, Object.keys(CONTACT_NAMES), "contact.");
  checkStrings("openapi: info", license, Object.keys(LICENSE_NAMES), "license.");
  if (license.name === undefined) refuseOption("openapi: info", "license.name", "a string", license.name);
  checkNames("openapi", options, NAMES, HIDING);
  checkType("openapi", "toJsonSchema", options.toJsonSchema, "function");
  checkType("openapi", "prefix", options.prefix, "string");
  checkDescribed("openapi", "servers", options.servers, "url");
  checkDescribed("openapi", "tags", options.tags, "name");
  checkSecurity("openapi", options.security);
  for (const name of ["securitySchemes", "schemas", "webhooks"] as const) {
    checkObject("openapi", name, options[name], "an object");
  }
  for (const [name, scheme] of Object.entries(options.securitySchemes ?? {})) {
    checkObject("openapi", `securitySchemes.${name}`, scheme, 'an object such as { type: "http", scheme: "bearer" }');
    if (!("$ref" in scheme || SCHEME_TYPES.includes(scheme.type as string))) {
      refuseOption("openapi", `securitySchemes.${name}.type`, `one of ${SCHEME_TYPES.join(", ")}`, scheme.type);
    }
  }
  for (const [name, schema] of Object.entries(options.schemas ?? {})) {
    if (Object(schema) !== schema) refuseOption("openapi", `schemas.${name}`, "a schema", schema);
  }
  for (const [name, request] of Object.entries(options.webhooks ?? {})) {
    checkOutgoing(`openapi: webhook ${name}`, request);
  }
}

/**
 * Checks that an argument is an application.
 *
 * @param caller Name of the caller for error messages
 * @param app The argument
 * @param advice What to write
 * @throws {TypeError} If it is something else, such as the document
 */
export function assertApplication(caller: string, app: WithRoutes, advice: string): void {
  if (isApplication(app)) return;
  throw new TypeError(`${caller}: app must be an application, not ${describe(app)}; ${advice}`);
}

function isApplication(app: Partial<WithRoutes> | undefined): boolean {
  return typeof app?.getRegisteredRoutes === "function";
}

/** The route a problem belongs to. */
type Where = Pick<DetailedRoute, "method" | "fullPath">;

class DocumentBuilder {
  readonly #options: OpenApiOptions;
  readonly #names: ReadonlyMap<unknown, string>;
  readonly #components = new Components();
  readonly #ids = new OperationIds();
  readonly #missing = new Map<string, NotExpressible>();
  readonly #paths: Record<string, Record<string, OpenApiOperation>> = {};
  /** Paths by shape: to OpenAPI, `/users/{id}` and `/users/{name}` are the same path. */
  readonly #byShape = new Map<string, PathTemplate>();

  constructor(options: OpenApiOptions) {
    this.#options = options;
    this.#names = new Map(Object.entries(options.schemas ?? {}).map(([name, schema]) => [schema, name]));
  }

  build(app: WithRoutes, info: OpenApiInfo): OpenApiDocument {
    const routes = app.getRegisteredRoutes(this.#options.prefix ?? "", { details: true });
    for (const route of routes) if (route.method !== "ALL") this.#add(route, [route.method.toLowerCase()]);
    // a route for all methods is often middleware for the routes on its path
    for (const route of routes) if (route.method === "ALL") this.#add(route, OF_ALL);
    const { servers, security, securitySchemes } = this.#options;
    const order = new Map(routes.map(({ fullPath }, i) => [fullPath, i]));
    // webhooks have no path
    const orderOf = ({ path }: NotExpressible): number => order.get(path) ?? routes.length;
    const { paths: { paths, webhooks }, schemas } = this.#components.finish({
      paths: this.#paths,
      webhooks: this.#webhooks(),
    });
    const components = {
      ...Object.keys(schemas).length > 0 ? { schemas } : {},
      ...securitySchemes === undefined ? {} : { securitySchemes: { ...securitySchemes } },
    };
    const tags = this.#tags();
    const missing = [...this.#missing.values()].sort((a, b) => orderOf(a) - orderOf(b));
    return {
      openapi: "3.1.0",
      info: { ...info },
      ...servers === undefined ? {} : { servers },
      paths,
      ...Object.keys(webhooks).length > 0 ? { webhooks } : {},
      ...Object.keys(components).length > 0 ? { components } : {},
      ...security === undefined ? {} : { security },
      ...tags.length > 0 ? { tags } : {},
      ...missing.length > 0 ? { "x-not-expressible": missing } : {},
    };
  }

  #webhooks(): Record<string, Record<string, OpenApiOutgoing>> {
    const requests = Object.entries(this.#options.webhooks ?? {}).map(([name, request]) => {
      const { method = "post" } = request;
      return [name, { [method]: this.#outgoing({ method: "WEBHOOK", fullPath: name }, name, request) }] as const;
    });
    return Object.fromEntries(requests);
  }

  #callbacks(route: DetailedRoute, facts: RouteFacts): OpenApiOperation["callbacks"] {
    const callbacks = Object.entries(facts.said.callbacks ?? {}).map(([name, { url, ...request }]) => {
      const { method = "post" } = request;
      return [name, { [url]: { [method]: this.#outgoing(route, name, request) } }] as const;
    });
    return callbacks.length === 0 ? undefined : Object.fromEntries(callbacks);
  }

  /** Requests sent by the server use a schema's output, and their responses its input. */
  #outgoing(where: Where, name: string, request: OutgoingRequest): OpenApiOutgoing {
    const {
      summary,
      description,
      headers = {},
      body,
      mediaType = "application/json",
      responses = { "2XX": "Received" },
    } = request;
    const upper = name[0]!.toUpperCase() + name.slice(1);
    const parameters = Object.entries(headers).map(([header, what]) => {
      return { name: header, in: "header" as const, description: what, schema: { type: "string" } };
    });
    const schema = body === undefined
      ? undefined
      : this.#schema(where, `body of ${name}`, body, "output", `${upper}Body`);
    return {
      ...summary === undefined ? {} : { summary },
      ...description === undefined ? {} : { description },
      ...parameters.length > 0 ? { parameters } : {},
      ...schema === undefined ? {} : { requestBody: { required: true, content: { [mediaType]: { schema } } } },
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, details]) => {
          const own: ResponseDetails = typeof details === "string" ? { description: details } : details;
          const convert = (one: unknown) =>
            this.#schema(where, `response ${status} to ${name}`, one, "input", `${upper}Response${status}`);
          return [status, response(status, own, convert, undefined)];
        }),
      ),
    };
  }

  #tags(): OpenApiTag[] {
    const given = this.#options.tags ?? [];
    const used = Object.values(this.#paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ tags = [] }) => tags)
    );
    const names = new Set(given.map(({ name }) => name));
    return [...given, ...[...new Set(used)].filter((name) => !names.has(name)).map((name) => ({ name }))];
  }

  #add(route: DetailedRoute, methods: readonly string[]): void {
    const facts = routeFacts(route);
    if (facts.said.hide === true) return;
    if (route.byRegExp === true) return this.#miss(route, "its path is a regular expression");
    if (route.method === "WS") return this.#miss(route, "it is a WebSocket");
    if (!methods.every((method) => METHODS.includes(method))) {
      return this.#miss(route, `OpenAPI 3.1 has no method ${route.method}`);
    }
    const templates = pathTemplates(route.fullPath);
    if (typeof templates === "string") return this.#miss(route, templates);
    for (const template of templates) {
      const shape = template.path.replace(/\{[^{}]*\}/g, "{}");
      const known = this.#byShape.get(shape) ?? template;
      this.#byShape.set(shape, known);
      const item = this.#paths[known.path] ??= {};
      if (route.method === "ALL" && Object.keys(item).length > 0) continue;
      for (const method of methods) {
        // if two routes match, the first one gets the requests
        item[method] ??= this.#operation(route, method, facts, template, known);
      }
    }
  }

  #operation(
    route: DetailedRoute,
    method: string,
    facts: RouteFacts,
    { params }: PathTemplate,
    known: PathTemplate,
  ): OpenApiOperation {
    const { said, names, serialization } = facts;
    const { summary, description, tags, deprecated, security, servers } = said;
    const extensions = Object.entries(said).filter(([name]) => name.startsWith("x-"));
    const operationId = this.#ids.next(method, known.path, said.operationId);
    const upper = operationId[0]!.toUpperCase() + operationId.slice(1);
    const schemasOf = (part: RequestPart): JsonSchema[] =>
      facts.schemas[part].map((schema) =>
        this.#schema(route, `its ${part}`, schema, "input", upper + part[0]!.toUpperCase() + part.slice(1))
      );
    const examplesOf = (part: RequestPart) => Object(said.examples?.[part]) as Record<string, unknown>;
    const inPath = pathParameters(
      params,
      schemasOf("params"),
      this.#components,
      examplesOf("params"),
      serialization.params ?? {},
    );
    const parameters = [
      // a different route may have named them first
      ...inPath.map((parameter, i) => ({ ...parameter, name: known.params[i]!.name })),
      ...(Object.keys(PARAMETER_PARTS) as ParameterPart[]).flatMap((part) =>
        partParameters(part, schemasOf(part), this.#components, examplesOf(part), serialization[part] ?? {})
      ),
    ];
    const required = facts.schemas.body.some((schema) => !acceptsNothing(schema));
    const body = requestBody(
      {
        method,
        reads: facts.reads,
        schemas: schemasOf("body"),
        required,
        said,
        serialization: serialization.body ?? {},
      },
      this.#components,
    );
    const responses = responsesOf(
      {
        schemas: facts.responses,
        said: said.responses ?? {},
        refuses: facts.refuses,
        refusesSomehow: facts.refusesSomehow,
        names,
      },
      (schema, status) => this.#schema(route, `its response ${status}`, schema, "output", `${upper}Response${status}`),
    );
    const callbacks = this.#callbacks(route, facts);
    return {
      operationId,
      ...summary === undefined ? {} : { summary },
      ...description === undefined ? {} : { description },
      ...tags === undefined ? {} : { tags },
      ...deprecated === true ? { deprecated } : {},
      ...security === undefined ? {} : { security },
      ...parameters.length > 0 ? { parameters } : {},
      ...body === undefined ? {} : { requestBody: body },
      responses,
      ...callbacks === undefined ? {} : { callbacks },
      ...servers === undefined ? {} : { servers },
      ...Object.fromEntries(extensions),
    };
  }

  #schema(route: Where, what: string, schema: unknown, direction: Direction, fallback: string): JsonSchema {
    const { json, problem } = convertSchema(schema, direction, this.#options.toJsonSchema);
    if (problem !== undefined) this.#miss(route, `${what}: ${problem}`);
    return this.#components.add(json, direction, fallback, this.#names.get(schema));
  }

  #miss({ method, fullPath: path }: Where, reason: string): void {
    this.#missing.set(`${method} ${path} ${reason}`, { method, path, reason });
  }
}

/** Whether the body is optional. JSON Schema does not define that, so the schema is run. */
function acceptsNothing(schema: unknown): boolean {
  try {
    const result = (schema as AnySchema)["~standard"].validate(undefined);
    if (!isThenable(result)) return (result as SchemaResult).issues === undefined;
    // asynchronous schemas are not awaited; their outcome does not matter
    (result as Promise<unknown>).then(undefined, () => {});
    return false;
  } catch {
    return false;
  }
}

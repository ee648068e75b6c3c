import { checkNames, checkObject, checkType, type OptionNames, refuseOption, withDetails } from "@sluice/shared";
import type { Handler, Request } from "@sluice/sluice";
import { checkDescribed, checkSecurity, checkStringList, checkStrings } from "./document_fields.ts";
import { REQUEST_PARTS, type RequestPart } from "./route_schemas.ts";
import type { AnySchema } from "./standard_schema.ts";

/** A response in an OpenAPI document. */
export interface ResponseDetails {
  /** When it is sent; by default its status's reason phrase. */
  readonly description?: string;
  /** Schema of its body. */
  readonly schema?: AnySchema;
  /** Media type of its body; `application/json` by default. */
  readonly mediaType?: string;
  /** An example body. */
  readonly example?: unknown;
  /** Its headers, by name, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A form field with files. */
export interface FileDetails {
  /** Maximum number of files in it; several by default. */
  readonly maxCount?: number;
  /** Their media types, such as `["image/*"]`. */
  readonly types?: readonly string[];
  /** Whether a form without a file is rejected. */
  readonly required?: boolean;
}

/** A request that the server sends: a webhook, or an operation's callback. */
export interface OutgoingRequest {
  /** Its method; POST by default. */
  readonly method?: "delete" | "get" | "patch" | "post" | "put";
  /** A one-line summary. */
  readonly summary?: string;
  /** A description in CommonMark. */
  readonly description?: string;
  /** Its headers, by name, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Schema of its body. */
  readonly body?: AnySchema;
  /** Media type of its body; `application/json` by default. */
  readonly mediaType?: string;
  /** Expected responses, by status; any 2xx by default. */
  readonly responses?: Readonly<Record<number | string, string | ResponseDetails>>;
}

/** A request that the server sends to a URL given in an earlier request. */
export interface Callback extends OutgoingRequest {
  /** Its URL, as an OpenAPI runtime expression: `{$request.body#/callbackUrl}`. */
  readonly url: string;
}

/** Describes routes in their OpenAPI document. */
export interface OperationDetails {
  /** A one-line summary. */
  readonly summary?: string;
  /** A description in CommonMark. */
  readonly description?: string;
  /** Groups for the routes, added to those from an earlier `operation`. */
  readonly tags?: readonly string[];
  /** The operation's name in clients; by default derived from method and path. */
  readonly operationId?: string;
  /** Whether the routes are deprecated. */
  readonly deprecated?: boolean;
  /** Whether documents omit them. */
  readonly hide?: boolean;
  /** Schemes that authorise requests: any one in the list, each with security scheme names and their scopes. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** The body's media types; by default those that the body parsers before the handler read, or `application/json`. */
  readonly consumes?: readonly string[];
  /** Form fields with files, by name; `upload` from `@sluice/middleware` declares its own. */
  readonly files?: Readonly<Record<string, FileDetails>>;
  /** Examples for parts of a request: `{ query: { page: 2 }, body: { text: "Milk" } }`. */
  readonly examples?: Readonly<Partial<Record<RequestPart, unknown>>>;
  /** Responses by status, or `default`: a description, or all details. */
  readonly responses?: Readonly<Record<number | string, string | ResponseDetails>>;
  /** Requests that the server sends as a result of a request, by name. */
  readonly callbacks?: Readonly<Record<string, Callback>>;
  /** Where the routes are served, if not where the other routes are: `[{ url: "https://files.example" }]`. */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  /** OpenAPI extensions, as defined by tools: `"x-internal": true`. */
  readonly [extension: `x-${string}`]: unknown;
}

/** The fields of a description. */
export const OPERATION_NAMES: OptionNames<Omit<OperationDetails, `x-${string}`>> = {
  summary: true,
  description: true,
  tags: true,
  operationId: true,
  deprecated: true,
  hide: true,
  security: true,
  consumes: true,
  files: true,
  examples: true,
  responses: true,
  callbacks: true,
  servers: true,
};

/** What schemas describe. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...REQUEST_PARTS, "response"].map((name) => [name, `write validate({ ${name} })`])),
  requestBody: "write validate({ body })",
};

const OUTGOING_NAMES: OptionNames<OutgoingRequest> = {
  method: true,
  summary: true,
  description: true,
  headers: true,
  body: true,
  mediaType: true,
  responses: true,
};

const METHODS: readonly string[] = ["delete", "get", "patch", "post", "put"];

const FILE_NAMES: OptionNames<FileDetails> = { maxCount: true, types: true, required: true };

const RESPONSE_NAMES: OptionNames<ResponseDetails> = {
  description: true,
  schema: true,
  mediaType: true,
  example: true,
  headers: true,
};

const EXAMPLE_NAMES = Object.fromEntries(REQUEST_PARTS.map((part) => [part, true])) as OptionNames<
  Record<RequestPart, unknown>
>;

/**
 * Describes the routes behind it in their OpenAPI document: one route among its handlers, or many with `app.use`. The
 * last value wins; tags, examples, files and responses are added to earlier ones.
 *
 * @param details The description
 * @returns Middleware that does nothing else
 * @throws {TypeError} If a field is unknown or of the wrong type
 *
 * @example A summary, a tag, and a response that no schema describes
 * ```ts
 * import { operation } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * const described = operation({ summary: "A note", tags: ["notes"], responses: { 404: "There is no such note" } });
 * app.get("/notes/:id", described, (req, res) => res.json({ id: req.params.id }));
 * ```
 */
export function operation(details: OperationDetails): Handler {
  checkOperation(details);
  function operation(req: Request): void {
    req.next();
  }
  return withDetails(operation as Handler, { operation: { ...details } });
}

function checkOperation(details: OperationDetails): void {
  const all = Object.entries(Object(details));
  const named = all.filter(([name]) => !name.startsWith("x-"));
  // only where it is needed, because a copy of a request is not recognized as one
  checkNames("operation", named.length < all.length ? Object.fromEntries(named) : details, OPERATION_NAMES, INSTEAD);
  checkStrings("operation", details, ["summary", "description", "operationId"]);
  for (const name of ["deprecated", "hide"] as const) checkType("operation", name, details[name], "boolean");
  for (const name of ["tags", "consumes"] as const) checkStringList("operation", name, details[name]);
  const { security, examples, responses, files, callbacks, servers } = details;
  checkSecurity("operation", security);
  checkDescribed("operation", "servers", servers, "url");
  if (examples !== undefined) checkNames("operation: examples", examples, EXAMPLE_NAMES);
  checkObject("operation", "files", files, "an object such as { avatar: { maxCount: 1 } }");
  for (const [name, file] of Object.entries(files ?? {})) checkNames(`operation: files.${name}`, file, FILE_NAMES);
  checkObject("operation", "callbacks", callbacks, 'an object such as { paid: { url: "{$request.body#/url}" } }');
  for (const [name, callback] of Object.entries(callbacks ?? {})) {
    const { url, ...request } = Object(callback) as Callback;
    if (typeof url !== "string") {
      refuseOption("operation", `callbacks.${name}.url`, "an expression such as {$request.body#/url}", url);
    }
    checkOutgoing(`operation: callback ${name}`, request);
  }
  checkResponses("operation", responses);
}

/**
 * Checks the description for a request that the server sends.
 *
 * @param caller The caller, for error messages
 * @param request The description
 * @throws {TypeError} If a field is unknown or of the wrong type
 */
export function checkOutgoing(caller: string, request: OutgoingRequest): void {
  checkNames(caller, request, OUTGOING_NAMES);
  const { method } = request;
  if (method !== undefined && !METHODS.includes(method)) {
    refuseOption(caller, "method", `one of ${METHODS.join(", ")}`, method);
  }
  checkStrings(caller, request, ["summary", "description", "mediaType"]);
  checkResponses(caller, request.responses);
}

function checkResponses(caller: string, responses: OperationDetails["responses"]): void {
  checkObject(caller, "responses", responses, 'an object such as { 404: "There is none" }');
  for (const [status, response] of Object.entries(responses ?? {})) {
    checkStatus(caller, "responses", status);
    if (typeof response === "string") continue;
    const where = `${caller}: response ${status}`;
    checkNames(where, response, RESPONSE_NAMES);
    checkStrings(where, response, ["description", "mediaType"]);
  }
}

/**
 * Rejects what OpenAPI knows no responses for.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param status A name in the option's object
 * @throws {TypeError} If it is no status
 */
export function checkStatus(caller: string, option: string, status: string): void {
  if (/^(?:[1-5](?:\d\d|XX)|default)$/.test(status)) return;
  throw new TypeError(`${caller}: option ${option} has statuses such as 404, 4XX or default, not ${status}`);
}

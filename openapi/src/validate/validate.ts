import {
  asciiUpperCase,
  checkNames,
  checkObject,
  checkType,
  describe,
  HttpError,
  isPlainObject,
  isThenable,
  type OptionNames,
  type Registration,
  withDetails,
} from "@sluice/shared";
import type { Middleware, Next, Request, RequestBehind, Response, ResponseBehind } from "@sluice/sluice";
import {
  REQUEST_PARTS,
  type RequestPart,
  type RequestSchemas,
  type ResponseSchemas,
} from "../metadata/route_schemas.ts";
import { checkStatus, OPERATION_NAMES } from "../metadata/operation.ts";
import { checkSerializations, type Serializations } from "../metadata/serialization.ts";
import { convertSchema, noteConverter } from "../schema/convert_schema.ts";
import type { JsonSchema, ToJsonSchema } from "../schema/json_schema.ts";
import { objectShape } from "../schema/object_shape.ts";
import { localReferences } from "../schema/schema_kinds.ts";
import { bodyReader, type ReadBody } from "./body_reader.ts";
import { checkSchema, expectedNames, isNoOptions, isSchema } from "./check_schema.ts";
import { type Invalid, invalid, problemOf } from "./invalid.ts";
import { refusals } from "./refusals.ts";
import { checkResponses } from "./check_responses.ts";
import { partReader } from "./part_reader.ts";
import type { AnySchema, InputOf, OutputOf, SchemaResult } from "../metadata/standard_schema.ts";

/**
 * The schemas to check against, and how to check.
 *
 * @example Checking the response as well
 * ```ts
 * import { validate } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 * import { z } from "zod";
 *
 * const app = sluice();
 * const Note = z.object({ id: z.number(), text: z.string() });
 * app.get("/notes/:id", validate({ response: { 200: Note }, checkResponses: true }), (_req, res) => {
 *   res.json({ id: 7, text: "Hello" });
 * });
 * console.log((await app.inject("/notes/7")).status); // 200
 * ```
 */
export interface ValidateOptions extends RequestSchemas {
  /** Schemas for what `res.json` sends, by status, `"4XX"` or `default`: only their fields. Others are unrestricted. */
  readonly response?: ResponseSchemas;
  /** Whether responses are checked; by default in development only. */
  readonly checkResponses?: boolean;
  /** Whether `res.json` sends the schema's output; by default if its input and output types differ. */
  readonly serialize?: boolean;
  /** How arrays and objects are serialized in parameters and forms, where that is not OpenAPI's default. */
  readonly serialization?: Serializations;
  /**
   * Converts schemas without their own conversion to JSON Schema, which determines how requests are read and responses
   * sent.
   */
  readonly toJsonSchema?: ToJsonSchema;
  /** Status for invalid requests; 400 by default. */
  readonly status?: 400 | 422;
  /** Responds to invalid requests, instead of passing an error to `next`. */
  readonly onInvalid?: (req: Request, res: Response, next: Next, issues: readonly Invalid[]) => unknown;
}

/** The properties that `validate` sets on requests: the schemas' outputs. Headers and cookies are in `req.valid`. */
export type Validated<Schemas> = {
  [Name in SchemaOf<Schemas, "params" | "query" | "body"> | ValidName<Schemas> | ResponsesName<Schemas>]: Name extends
    "valid" ? { [Part in SchemaOf<Schemas, "headers" | "cookies">]: OutputOf<Schemas[Part & keyof Schemas]> }
    : Name extends "~responses" ? BodiesOf<Schemas>
    : OutputOf<Schemas[Name & keyof Schemas]>;
};

/** The name under which the compiler finds what `res.json` accepts, if there are schemas for responses. */
export type ResponsesName<Schemas> = Schemas extends { readonly response: object } ? "~responses" : never;

/** The values that `res.json` accepts, by status. */
export type BodiesOf<Schemas> = Schemas extends { readonly response: infer Responses }
  ? { readonly [Status in keyof Responses]: InputOf<Responses[Status]> }
  : never;

/** `valid`, if there is a schema for headers or cookies. */
export type ValidName<Schemas> = [SchemaOf<Schemas, "headers" | "cookies">] extends [never] ? never : "valid";

/** The parts that certainly have a schema, even if the schemas are an unknown generic type. */
export type SchemaOf<Schemas, Part extends RequestPart> = Part extends unknown
  ? Schemas extends { readonly [_ in Part]: unknown } ? Part : never
  : never;

const NAMES: OptionNames<ValidateOptions> = {
  params: true,
  query: true,
  headers: true,
  cookies: true,
  body: true,
  response: true,
  checkResponses: true,
  serialize: true,
  serialization: true,
  toJsonSchema: true,
  status: true,
  onInvalid: true,
};

/** Fields of `operation`, and names of other validators. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(OPERATION_NAMES).map((name) => [name, `write operation({ ${name} })`])),
  responses: "use response",
  querystring: "use query",
};

/** One part, how to read it, and its schema. */
interface Check {
  readonly part: RequestPart;
  readonly schema: AnySchema;
  /** Its input as JSON Schema, as far as available. */
  readonly json: JsonSchema;
  /** Converts the part to what the document describes; `undefined` if it needs no conversion. */
  readonly read: ((value: unknown, req: Request) => unknown) | undefined;
}

/** The checks' results so far. */
interface Outcome {
  readonly outputs: Partial<Record<RequestPart, unknown>>;
  readonly issues: Invalid[];
}

/**
 * Checks parts of a request against Standard Schema 1 schemas (zod, valibot, arktype), and replaces them with the
 * schemas' outputs. Parameters and forms are read as the document defines: `"1"` is a number where the schema only
 * accepts numbers, and a single value becomes an array where it only accepts arrays. Later handlers in the same call,
 * and a handler passed to it, have the outputs in their types. `res.json` accepts what the schema for its status
 * accepts.
 *
 * `req.params`, `req.query` and `req.body` are replaced; headers and cookies are in `req.valid`, because other
 * middleware also reads `req.headers`. All parts are checked, in this order, and all issues are reported. The error
 * that goes to `next` has `status` 400, `errors` without the values, and a `problem` (RFC 9457). Clients that do not
 * prefer HTML get the problem, unless an error handler responds. A request with a body that no parser has read gets
 * 415. Synchronous schemas create no promise; rejections from asynchronous ones go to `next`.
 *
 * @param options The schemas, and how to handle invalid requests
 * @param handler Called if the request is valid; by default the next handler
 * @returns Middleware
 * @throws {TypeError} If an option is unknown or not valid, or a schema is not a Standard Schema 1 schema; when it is
 * registered on a route, if that route lacks a body or an expected parameter
 *
 * @example A note, checked by a zod schema; valibot and arktype also work
 * ```ts
 * import { validate } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 * import { z } from "zod";
 *
 * const app = sluice();
 * app.post("/notes", sluice.json(), validate({ body: z.object({ text: z.string() }) }), (req, res) => {
 *   res.status(201).json(req.body.text.trim());
 * });
 * ```
 */
export function validate<const Schemas extends ValidateOptions>(
  options: Schemas,
  handler?: (
    req: RequestBehind<Validated<Schemas>, Request["params"]>,
    res: ResponseBehind<Validated<Schemas>>,
    next: Next,
  ) => unknown,
): Middleware<Validated<Schemas>> {
  checkOptions(options);
  checkType("validate", "handler", handler, "function");
  const { response, status = 400, onInvalid } = options;
  const checks = checksOf(options);
  const watchResponses = response === undefined ? null : checkResponses(response, options);

  function settle(req: Request, res: Response, next: Next, { outputs, issues }: Outcome): unknown {
    // a schema with an optional body does not see a body with a different type
    if ("body" in outputs && isUnread(req)) issues.push(invalid("body", { message: unreadText(req) }));
    if (issues.length > 0) {
      if (onInvalid !== undefined) return onInvalid(req, res, next, issues);
      const isOfBody = issues.some((issue) => issue.in === "body");
      return next(isOfBody && isUnread(req) ? unread(req) : refusal(status, issues));
    }
    replace(req, outputs);
    watchResponses?.(req, res);
    return handler === undefined ? next() : handler(req as never, res as never, next);
  }

  function validate(req: Request, res: Response, next: Next): unknown {
    const outcome: Outcome = { outputs: {}, issues: [] };
    let pending: Promise<void> | undefined;
    try {
      pending = run(checks, 0, req, outcome);
    } catch (error) {
      return next(failure(error));
    }
    if (pending === undefined) return settle(req, res, next, outcome);
    return pending.then(() => settle(req, res, next, outcome), (error) => next(failure(error)));
  }

  const { serialization } = options;
  const schemas = Object.fromEntries(checks.map(({ part, schema }) => [part, schema]));
  return withDetails(validate as Middleware<Validated<Schemas>>, {
    validates: schemas,
    ...response === undefined ? {} : { responds: response },
    ...serialization === undefined ? {} : { operation: { serialization } },
    // onInvalid responds in its own way
    ...checks.length === 0 || onInvalid !== undefined ? {} : { refuses: refusals(status, options.body !== undefined) },
    registered: (route) => checkRoute(options, checks, route),
  });
}

function checksOf(options: ValidateOptions): Check[] {
  const { serialization = {}, toJsonSchema, response = {} } = options;
  const schemas = REQUEST_PARTS.flatMap((part) => options[part] === undefined ? [] : [[part, options[part]] as const]);
  if (toJsonSchema !== undefined) {
    for (const schema of [...schemas.map(([, schema]) => schema), ...Object.values(response)]) {
      noteConverter(schema, toJsonSchema);
    }
  }
  return schemas.map(([part, schema]) => {
    const given = serialization[part];
    // most bodies do not need it before the first request, and they have the largest schemas
    if (part === "body" && given === undefined) return { part, schema, json: {}, read: lateBodyReader(schema) };
    const { json } = convertSchema(schema, "input", toJsonSchema);
    checkSerialized(part, json, given);
    return { part, schema, json, read: part === "body" ? bodyReader(json, given) : partReader(part, json, given) };
  });
}

function lateBodyReader(schema: AnySchema): ReadBody {
  let read: ReadBody | undefined;
  return (body, req) => (read ??= bodyReader(convertSchema(schema, "input").json))(body, req);
}

function checkSerialized(part: RequestPart, json: JsonSchema, given: Serializations[RequestPart] = {}): void {
  const { properties } = objectShape(json, localReferences(json));
  for (const name of Object.keys(given)) {
    if (properties.size === 0 || properties.has(name)) continue;
    const names = [...properties.keys()].join(", ");
    throw new TypeError(`validate: option serialization.${part} has the names ${names}, not ${describe(name)}`);
  }
}

// one after the other: with concurrent promises, a rejection would be unhandled if another check throws
function run(checks: readonly Check[], from: number, req: Request, outcome: Outcome): Promise<void> | undefined {
  for (let i = from; i < checks.length; i++) {
    const { part, schema, read } = checks[i]!;
    const whole = wholeOf(part, req);
    const value = read === undefined ? whole : read(whole, req);
    const result = schema["~standard"].validate(value);
    if (isThenable(result)) {
      return Promise.resolve(result).then((result) => {
        note(part, value, result, outcome);
        return run(checks, i + 1, req, outcome);
      });
    }
    note(part, value, result, outcome);
  }
  return undefined;
}

function note(part: RequestPart, value: unknown, result: SchemaResult, { outputs, issues }: Outcome): void {
  if (result.issues === undefined) outputs[part] = result.value;
  else if (result.issues.length === 0) issues.push(invalid(part, { message: "Invalid" }));
  else for (const issue of result.issues) issues.push(invalid(part, issue, value));
}

// to `next`, a missing error means success, and "route" means to skip to the next route
function failure(error: unknown): unknown {
  if (typeof error === "object" && error !== null) return error;
  return new TypeError(`validate: a schema failed with ${describe(error)}`);
}

function replace(req: Request, outputs: Outcome["outputs"]): void {
  const { params, query, headers, cookies, body } = outputs;
  if ("params" in outputs) req.params = replaced("params", params, req) as Request["params"];
  if ("query" in outputs) req.query = replaced("query", query, req) as Request["query"];
  if ("body" in outputs) req.body = replaced("body", body, req);
  if (!("headers" in outputs || "cookies" in outputs)) return;
  const { valid: known } = req as { valid?: { headers?: unknown; cookies?: unknown } };
  const valid = {
    ...known,
    ..."headers" in outputs ? { headers: both(known?.headers, headers) } : {},
    ..."cookies" in outputs ? { cookies: both(known?.cookies, cookies) } : {},
  };
  Object.assign(req, { valid });
}

/** Where a request keeps what earlier schemas were given, and made of it: what they left out is there for the next. */
const replacedKey = Symbol("replaced");

type Replaced = { [replacedKey]?: Partial<Record<RequestPart, { output: unknown; whole: unknown }>> };

function wholeOf(part: RequestPart, req: Request): unknown {
  const earlier = (req as Replaced)[replacedKey]?.[part];
  // unless something else has replaced it since
  return earlier !== undefined && earlier.output === req[part] ? both(earlier.whole, earlier.output) : req[part];
}

function replaced(part: RequestPart, later: unknown, req: Request): unknown {
  const all = (req as Replaced)[replacedKey] ??= {};
  const isSecond = all[part] !== undefined && all[part].output === req[part];
  const whole = wholeOf(part, req);
  const output = isSecond ? both(req[part], later) : later;
  all[part] = { output, whole };
  return output;
}

/** The fields of both, as the types of handlers say. */
function both(earlier: unknown, later: unknown): unknown {
  return isPlainObject(earlier) && isPlainObject(later) ? { ...earlier, ...later } : later;
}

function refusal(status: number, issues: readonly Invalid[]): HttpError {
  const { in: part, pointer, message } = issues[0]!;
  const text = `The request is not valid: ${part}${pointer}: ${message}`;
  const problem = problemOf(status, issues);
  const error = new HttpError(status, text, { type: "request.invalid", errors: issues, problem });
  // the libraries' own name for them; not enumerable, so the error's JSON has them once
  return Object.defineProperty(error, "issues", { value: issues });
}

// there is a body that no parser has read: to a schema it would look absent
function isUnread(req: Request): boolean {
  if (req.body !== undefined) return false;
  const length = req.get("content-length");
  if (length !== undefined) return Number(length) > 0;
  if (req.get("transfer-encoding") !== undefined) return true;
  // over HTTP/2, and in process, a body needs neither of these headers; a parser may have found it empty
  return typeof req.is("*/*") === "string" && req.request?.bodyUsed !== true;
}

function unread(req: Request): HttpError {
  const message = unreadText(req);
  const problem = { type: "about:blank", title: "Unsupported Media Type", status: 415, detail: message };
  return new HttpError(415, message, { type: "media.type.unsupported", problem });
}

function unreadText(req: Request): string {
  return `No body parser of this route reads ${describe(req.get("content-type"))}`;
}

function checkOptions(options: ValidateOptions): void {
  if (isNoOptions(options)) {
    throw new TypeError("validate: say what the schema is for, such as validate({ body: schema })");
  }
  checkNames("validate", options, NAMES, INSTEAD);
  for (const part of REQUEST_PARTS) if (options[part] !== undefined) checkSchema(part, options[part]);
  if (isSchema(options.response)) {
    throw new TypeError(
      "validate: option response must have a schema for each status, such as response: { 200: schema }",
    );
  }
  checkObject("validate", "response", options.response, "an object such as { 200: schema }");
  for (const [status, schema] of Object.entries(options.response ?? {})) {
    checkStatus("validate", "response", status);
    checkSchema(`response.${status}`, schema);
  }
  const { status = 400, onInvalid, checkResponses, serialize, serialization, toJsonSchema } = options;
  if (status !== 400 && status !== 422) {
    throw new RangeError(`validate: status must be 400 or 422, not ${describe(status)}`);
  }
  checkType("validate", "onInvalid", onInvalid, "function");
  checkType("validate", "checkResponses", checkResponses, "boolean");
  checkType("validate", "serialize", serialize, "boolean");
  checkType("validate", "toJsonSchema", toJsonSchema, "function");
  if (serialization !== undefined) checkSerializations(serialization);
}

function checkRoute(
  { params, body }: ValidateOptions,
  checks: readonly Check[],
  { caller, method, path, params: names }: Registration,
): void {
  const route = `${caller}(${describe(path)})`;
  if (body !== undefined && (method === "get" || method === "head")) {
    throw new TypeError(
      `${route}: validate has a schema for the body, and ${asciiUpperCase(method)} has none; use query`,
    );
  }
  if (params === undefined || names === null) return;
  for (const name of expectedNames(params, checks.find(({ part }) => part === "params")!.json)) {
    if (names.includes(name)) continue;
    throw new TypeError(
      `${route}: validate has a schema for the parameter ${describe(name)}, which the path does not have`,
    );
  }
}

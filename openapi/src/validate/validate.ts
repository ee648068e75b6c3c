import {
  asciiUpperCase,
  checkNames,
  checkType,
  describe,
  HttpError,
  isThenable,
  type OptionNames,
  type Registration,
  withDetails,
} from "@sluice/shared";
import type { Middleware, Next, Request, RequestBehind, Response } from "@sluice/sluice";
import {
  REQUEST_PARTS,
  type RequestPart,
  type RequestSchemas,
  type ResponseSchemas,
} from "../metadata/route_schemas.ts";
import { checkSchema, isSchema, parameterNames } from "./check_schema.ts";
import { type Invalid, invalid, problemOf } from "./invalid.ts";
import { refusals } from "./refusals.ts";
import { checkResponses } from "./check_responses.ts";
import type { AnySchema, OutputOf, SchemaResult } from "../metadata/standard_schema.ts";

/**
 * What is checked, and how.
 *
 * @example A response that is checked, too
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
  /** What `res.json` sends, by status. Responses of other statuses are not checked. */
  readonly response?: ResponseSchemas;
  /** Whether responses are checked; by default in development only. */
  readonly checkResponses?: boolean;
  /** Whether `res.json` sends what the schema makes of the value, and so nothing that the schema does not have. */
  readonly serialize?: boolean;
  /** Status of the response to invalid requests; 400 by default. */
  readonly status?: 400 | 422;
  /** Responds to invalid requests, instead of the error that goes to `next`. */
  readonly onInvalid?: (req: Request, res: Response, next: Next, issues: readonly Invalid[]) => unknown;
}

/** What `validate` makes of requests: the outputs of the schemas. Headers and cookies are those of `req.valid`. */
export type Validated<Schemas> = {
  [Name in SchemaOf<Schemas, "params" | "query" | "body"> | ValidName<Schemas>]: Name extends "valid"
    ? { [Part in SchemaOf<Schemas, "headers" | "cookies">]: OutputOf<Schemas[Part]> }
    : OutputOf<Schemas[Name & keyof Schemas]>;
};

/** `valid`, if there is a schema for headers or cookies. */
export type ValidName<Schemas> = [SchemaOf<Schemas, "headers" | "cookies">] extends [never] ? never : "valid";

/** The parts that there certainly is a schema for. */
export type SchemaOf<Schemas, Part extends RequestPart> = {
  [Name in Part & keyof Schemas]: undefined extends Schemas[Name] ? never : Name;
}[Part & keyof Schemas];

const NAMES: OptionNames<ValidateOptions> = {
  params: true,
  query: true,
  headers: true,
  cookies: true,
  body: true,
  response: true,
  checkResponses: true,
  serialize: true,
  status: true,
  onInvalid: true,
};

/** One part, and what it is checked by. */
interface Check {
  readonly part: RequestPart;
  readonly schema: AnySchema;
}

/** What has come of the checks so far. */
interface Outcome {
  readonly outputs: Partial<Record<RequestPart, unknown>>;
  readonly issues: Invalid[];
}

/**
 * Checks parts of a request by schemas of Standard Schema 1 (zod, valibot, arktype), and replaces them by what the
 * schemas make of them. Whether `"1"` is a number is the schemas' business: parameters, queries, headers and cookies are
 * text. Handlers behind it in the same call have their outputs in their types, as has one that is given to it.
 *
 * `req.params`, `req.query` and `req.body` are replaced; headers and cookies are in `req.valid`, because others read
 * `req.headers`, too. All parts are checked, in this order, and all issues reported: the error that goes to `next` has
 * `status` 400, `errors` without the values, and a `problem` (RFC 9457), which clients that do not prefer HTML get unless
 * an error handler responds. A request with a body that no parser has read is 415. Schemas that are synchronous make no promise; what an
 * asynchronous one rejects with goes to `next`.
 *
 * @param options The schemas, and what happens to what is invalid
 * @param handler Called if the request is valid; by default the next one is
 * @returns Middleware
 * @throws {TypeError} If an option is unknown or not valid, or a schema not of Standard Schema 1; when it becomes a
 *   handler of a route, if that has no body, or not a parameter that is expected
 *
 * @example A note, checked by a schema of zod; those of valibot and arktype do as well
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
  handler?: (req: RequestBehind<Validated<Schemas>, Request["params"]>, res: Response, next: Next) => unknown,
): Middleware<Validated<Schemas>> {
  checkOptions(options);
  if (handler !== undefined) checkType("validate", "handler", handler, "function");
  const { response, status = 400, onInvalid } = options;
  const checks: Check[] = [];
  for (const part of REQUEST_PARTS) if (options[part] !== undefined) checks.push({ part, schema: options[part] });
  const watchResponses = response === undefined ? null : checkResponses(response, options);

  function settle(req: Request, res: Response, next: Next, { outputs, issues }: Outcome): unknown {
    // a schema that allows a body to be missing has not seen one of another type
    if ("body" in outputs && isUnread(req)) issues.push(invalid("body", { message: unreadText(req) }));
    if (issues.length > 0) {
      if (onInvalid !== undefined) return onInvalid(req, res, next, issues);
      const isOfBody = issues.some((issue) => issue.in === "body");
      return next(isOfBody && isUnread(req) ? unread(req) : refusal(status, issues));
    }
    replace(req, outputs);
    watchResponses?.(req, res);
    return handler === undefined ? next() : handler(req as never, res, next);
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

  const schemas = Object.fromEntries(checks.map(({ part, schema }) => [part, schema]));
  return withDetails(validate as Middleware<Validated<Schemas>>, {
    validates: schemas,
    ...response === undefined ? {} : { responds: response },
    // onInvalid responds with whatever it likes
    ...checks.length === 0 || onInvalid !== undefined ? {} : { refuses: refusals(status, options.body !== undefined) },
    registered: (route) => checkRoute(options, route),
  });
}

// one after the other: with several promises at once, one that rejects while another check throws would be nobody's
function run(checks: readonly Check[], from: number, req: Request, outcome: Outcome): Promise<void> | undefined {
  for (let i = from; i < checks.length; i++) {
    const { part, schema } = checks[i]!;
    const value = req[part];
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

// to next, nothing means that all is well, and "route" that another route is to be tried
function failure(error: unknown): unknown {
  if (typeof error === "object" && error !== null) return error;
  return new TypeError(`validate: a schema has failed with ${describe(error)}`);
}

function replace(req: Request, outputs: Outcome["outputs"]): void {
  const { params, query, headers, cookies, body } = outputs;
  if ("params" in outputs) req.params = params as Request["params"];
  if ("query" in outputs) req.query = query as Request["query"];
  if ("body" in outputs) req.body = body;
  if (!("headers" in outputs || "cookies" in outputs)) return;
  const known = (req as { valid?: object }).valid;
  const valid = { ...known, ..."headers" in outputs ? { headers } : {}, ..."cookies" in outputs ? { cookies } : {} };
  Object.assign(req, { valid });
}

function refusal(status: number, issues: readonly Invalid[]): HttpError {
  const { in: part, pointer, message } = issues[0]!;
  const text = `The request is not valid: ${part}${pointer}: ${message}`;
  return new HttpError(status, text, { type: "request.invalid", errors: issues, problem: problemOf(status, issues) });
}

// there is a body, and no parser that reads it: a schema only sees that there is nothing
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
  checkNames("validate", options, NAMES);
  for (const part of REQUEST_PARTS) if (options[part] !== undefined) checkSchema(part, options[part]);
  if (isSchema(options.response)) {
    throw new TypeError("validate: option response has a schema for each status, such as response: { 200: schema }");
  }
  for (const [status, schema] of Object.entries(options.response ?? {})) checkSchema(`response.${status}`, schema);
  const { status, onInvalid, checkResponses, serialize } = options;
  if (status !== undefined && status !== 400 && status !== 422) {
    throw new RangeError(`validate: status must be 400 or 422, not ${describe(status)}`);
  }
  if (onInvalid !== undefined) checkType("validate", "onInvalid", onInvalid, "function");
  if (checkResponses !== undefined) checkType("validate", "checkResponses", checkResponses, "boolean");
  if (serialize !== undefined) checkType("validate", "serialize", serialize, "boolean");
}

function checkRoute({ params, body }: ValidateOptions, { caller, method, path, params: names }: Registration): void {
  const route = `${caller}(${describe(path)})`;
  if (body !== undefined && (method === "get" || method === "head")) {
    throw new TypeError(
      `${route}: validate has a schema for the body, and ${asciiUpperCase(method)} has none; use query`,
    );
  }
  if (params === undefined || names === null) return;
  for (const name of parameterNames(params)) {
    if (names.includes(name)) continue;
    throw new TypeError(
      `${route}: validate has a schema for the parameter ${describe(name)}, which the path does not have`,
    );
  }
}

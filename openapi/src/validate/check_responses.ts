import { isThenable, warnInDevelopment } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import type { ResponseSchemas } from "../metadata/route_schemas.ts";
import { convertSchema } from "../schema/convert_schema.ts";
import type { ToJsonSchema } from "../schema/json_schema.ts";
import type { AnySchema } from "../metadata/standard_schema.ts";
import { DocumentedFields } from "./documented_fields.ts";
import { pointerOf } from "./invalid.ts";
import { withoutInput } from "./without_input.ts";

/** Whether to check responses, and whether to send them as transformed by their schemas. */
interface Checking {
  readonly checkResponses?: boolean;
  readonly serialize?: boolean;
  readonly toJsonSchema?: ToJsonSchema;
}

/** How to send the responses with one status. */
interface Sending {
  readonly schema: AnySchema;
  /** Whether the schema transforms its input. */
  readonly transforms: boolean;
  /** `undefined` if the schema has no JSON Schema. */
  readonly fields: DocumentedFields | undefined;
}

/** Maximum number of fields that a warning lists. */
const MOST_FIELDS = 10;

/** Marks responses that have been restricted: the last schema for a status is the documented one. */
const restrictedKey = Symbol("restricted");

type Restricted = Response & { [restrictedKey]?: true };

/**
 * Creates a function that restricts `res.json`, and any JSON `Response` that a handler returns, to the documented
 * fields. It sends only the schema's fields, and the schema's output where it transforms the value.
 *
 * @param schemas The schemas by status
 * @param checking Whether values are checked in production too
 * @returns The function; a value that does not match is an error, which becomes a 500 response
 */
export function checkResponses(schemas: ResponseSchemas, checking: Checking): (req: Request, res: Response) => void {
  const sendings = new Map<AnySchema, Sending>();
  function sendingOf(status: number, res: Response): Sending | undefined {
    const all = schemas as Readonly<Record<string, AnySchema>>;
    const schema = all[status] ?? all[`${String(status)[0]}XX`] ?? all["default"];
    if (schema === undefined || (res as Restricted)[restrictedKey] === true) return undefined;
    let sending = sendings.get(schema);
    if (sending === undefined) sendings.set(schema, sending = sendingBy(schema, checking.toJsonSchema));
    return sending;
  }
  return (req, res) => {
    const { json, jsonp, respondWith } = res;
    const restore = (): void => {
      // sending calls its other methods, and an error handler's response must not be checked
      res.json = json;
      res.jsonp = jsonp;
      res.respondWith = respondWith;
      (res as Restricted)[restrictedKey] = true;
    };
    const restrict = (send: Response["json"]): Response["json"] =>
      function (value: unknown) {
        const sending = sendingOf(res.statusCode, res);
        if (sending === undefined) return send.call(res, value);
        restore();
        return send.call(res, sent(sending, value, checking, req, res.statusCode));
      };
    res.json = restrict(json);
    res.jsonp = restrict(jsonp);
    res.respondWith = function (returned: globalThis.Response) {
      const sending = sendingOf(returned.status, res);
      if (sending === undefined || !isPlainJson(returned)) return respondWith.call(res, returned);
      restore();
      const responded = returned.json().then((value) => {
        const text = JSON.stringify(sent(sending, value, checking, req, returned.status));
        const headers = new Headers(returned.headers);
        headers.delete("content-length");
        const { status, statusText } = returned;
        respondWith.call(res, new globalThis.Response(text, { status, statusText, headers }));
      });
      req.waitUntil(responded.catch((error) => req.next(error)));
    };
  };
}

/** Whether a `Response` that a handler returned has readable JSON. */
function isPlainJson({ headers, body, bodyUsed }: globalThis.Response): boolean {
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "");
  return isJson && body !== null && !bodyUsed && !body.locked && !headers.has("content-encoding");
}

function sendingBy(schema: AnySchema, toJsonSchema: ToJsonSchema | undefined): Sending {
  const input = convertSchema(schema, "input", toJsonSchema);
  const output = convertSchema(schema, "output", toJsonSchema);
  const isKnown = Object.keys(output.json).length > 0;
  return {
    schema,
    transforms: JSON.stringify(input.json) !== JSON.stringify(output.json),
    fields: isKnown ? new DocumentedFields(output.json) : undefined,
  };
}

function sent(
  { schema, transforms, fields }: Sending,
  value: unknown,
  { checkResponses, serialize = transforms }: Checking,
  req: Request,
  status: number,
): unknown {
  const isChecked = checkResponses ?? req.app.get("env") === "development";
  // runs once, whether to check or to transform
  const output = serialize || isChecked ? outputOf(schema, value, req, status) : value;
  if (fields === undefined) return serialize ? output : value;
  const leftOut = new Set<string>();
  const documented = fields.of(serialize ? output : value, (pointer) => leftOut.add(pointer));
  if (leftOut.size > 0) {
    const names = [...leftOut].slice(0, MOST_FIELDS).join(", ");
    warnInDevelopment(
      req.app,
      `${routeOf(req)}: fields that are not in the schema of the response of status ${status} are not sent: ${names}`,
    );
  }
  return documented;
}

function outputOf(schema: AnySchema, value: unknown, req: Request, status: number): unknown {
  const result = schema["~standard"].validate(value);
  if (isThenable(result)) {
    // not awaited
    Promise.resolve(result).catch(() => {});
    throw new TypeError(
      `${routeOf(req)}: validate needs a synchronous schema for the response of status ${status}`,
    );
  }
  if (result.issues === undefined) return result.value;
  const issue = result.issues[0]!;
  const reason = withoutInput(issue, value);
  throw new TypeError(
    `${routeOf(req)}: the response of status ${status} is not valid: ${pointerOf(issue.path)}: ${reason}`,
  );
}

function routeOf(req: Request): string {
  return `${req.method} ${req.baseUrl}${String(req.route?.path ?? req.path)}`;
}

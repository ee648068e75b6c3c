import { isThenable } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import type { ResponseSchemas } from "../metadata/route_schemas.ts";
import { pointerOf } from "./invalid.ts";
import { withoutInput } from "./without_input.ts";
import type { AnySchema } from "../metadata/standard_schema.ts";

/** Whether responses are checked, and sent as their schemas have them. */
interface Checking {
  readonly checkResponses?: boolean;
  readonly serialize?: boolean;
}

/**
 * Makes a function that has the values which `res.json` sends checked.
 *
 * @param schemas The schemas by status
 * @param checking Whether they are checked in production, too, and what is sent
 * @returns The function; `res.json` throws if a value does not fit, which becomes the response 500
 */
export function checkResponses(
  schemas: ResponseSchemas,
  { checkResponses, serialize = false }: Checking,
): (req: Request, res: Response) => void {
  return (req, res) => {
    if (!serialize && !(checkResponses ?? req.app.get("env") === "development")) return;
    const { json } = res;
    res.json = function (value: unknown) {
      const schema = schemas[res.statusCode];
      if (schema === undefined) return json.call(res, value);
      // what it sends is sent by res.send, and an error handler's response is another
      res.json = json;
      const output = outputOf(schema, value, req, res);
      return json.call(res, serialize ? output : value);
    };
  };
}

function outputOf(schema: AnySchema, value: unknown, req: Request, res: Response): unknown {
  const route = `${req.method} ${req.baseUrl}${String(req.route?.path ?? req.path)}`;
  const result = schema["~standard"].validate(value);
  if (isThenable(result)) {
    // nobody awaits it
    Promise.resolve(result).catch(() => {});
    throw new TypeError(`${route}: validate needs a synchronous schema for the response of status ${res.statusCode}`);
  }
  if (result.issues === undefined) return result.value;
  const issue = result.issues[0]!;
  const reason = withoutInput(issue, value);
  throw new TypeError(
    `${route}: the response of status ${res.statusCode} is not valid: ${pointerOf(issue.path)}: ${reason}`,
  );
}

import { HttpError, withDetails } from "@sluice/limiting/core";
import type { Handler, Request } from "@sluice/sluice";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import {
  REQUEST_PARTS,
  type RequestPart,
  type RequestSchemas,
  type ResponseSchemas,
} from "../metadata/route_schemas.ts";

/** What is checked. */
export interface ValidateOptions extends RequestSchemas {
  /** What responses contain, by status. */
  readonly response?: ResponseSchemas;
}

/**
 * Checks parts of a request by schemas of Standard Schema 1, and replaces them by what the schemas make of them.
 *
 * @param schemas The schemas
 * @returns Middleware; what is wrong goes to `next` as an `HttpError` with status 400
 *
 * @example A note, checked by a schema written by hand; those of zod, valibot and arktype do as well
 * ```ts
 * import { validate } from "@sluice/openapi";
 * import sluice from "@sluice/sluice";
 * import { z } from "zod";
 *
 * const app = sluice();
 * app.post("/notes", sluice.json(), validate({ body: z.object({ text: z.string() }) }), (req, res) => {
 *   res.status(201).json(req.body);
 * });
 * ```
 */
export function validate({ response, ...schemas }: ValidateOptions): Handler {
  async function validate(req: Request): Promise<void> {
    for (const part of REQUEST_PARTS) {
      const schema = schemas[part];
      if (schema !== undefined) replace(req, part, await outputOf(schema, req[part], part));
    }
    req.next();
  }
  return withDetails(validate, { validates: schemas, ...response === undefined ? {} : { responds: response } });
}

async function outputOf(schema: StandardSchemaV1, input: unknown, part: RequestPart): Promise<unknown> {
  const result = await schema["~standard"].validate(input);
  if (result.issues === undefined) return result.value;
  throw new HttpError(400, `${part}: ${result.issues[0]!.message}`);
}

function replace(req: Request, part: RequestPart, value: unknown): void {
  Object.defineProperty(req, part, { value, configurable: true, enumerable: true, writable: true });
}

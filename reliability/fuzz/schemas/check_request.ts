/** Sends requests that a document allows, and others that it forbids. */
import { operation, validate } from "@sluice/openapi";
import { checkApplication, type Finding } from "@sluice/openapi/check";
import sluice, { type Handler } from "@sluice/sluice";
import type { Wrong } from "../fuzzer.ts";
import { buildSchema } from "./build_schema.ts";
import { has, type Library, type Shape } from "./shape.ts";

/** A route with a schema for its body or its query. */
export interface RequestStep {
  readonly part: "body" | "query";
  readonly library: Library;
  readonly shape: Shape;
  /** Seed for its requests. */
  readonly seed: number;
}

/** Valid requests to each route. */
const REQUESTS = 8;

/** Each finding's kind, as what was promised. */
const KINDS: Readonly<Record<Finding["kind"], string>> = {
  refuses: "an allowed request is refused",
  accepts: "a forbidden request is accepted",
  responds: "a request is a failure of the server",
};

/**
 * Checks a route.
 *
 * @param step The route
 * @param fault Middleware in front of `validate`
 */
export async function checkRequest(
  { part, library, shape, seed }: RequestStep,
  fault: Handler = (_req, _res, next) => next(),
): Promise<Wrong | undefined> {
  const schema = buildSchema(shape, library);
  if (schema === undefined) return undefined;
  const app = sluice().set("env", "test").set("logger", undefined as never);
  const described = operation({ responses: { 204: { description: "Accepted" } } });
  const accept: Handler = (_req, res) => void res.sendStatus(204);
  if (part === "body") app.post("/", described, sluice.json(), fault, validate({ body: schema }), accept);
  else app.get("/", described, fault, validate({ query: schema as never }), accept);
  const { findings } = await checkApplication(app, { seed, runs: REQUESTS });
  const finding = findings.find(({ kind }) => kind !== "accepts" || !acceptsMore(shape, library));
  if (finding === undefined) return undefined;
  const { kind, reason, request, response } = finding;
  const detail = `${request.method} ${request.path} ${request.body ?? ""}\nis answered with ${response.status} ` +
    `${response.body}\n${reason}`;
  return { kind: `${KINDS[kind]} (${part})`, detail };
}

/** Whether a schema accepts more than its JSON Schema can say. */
function acceptsMore(shape: Shape, library: Library): boolean {
  return has(shape, (one) => {
    // of what is twice in a set or a map, one is dropped
    if (one.is === "set" || one.is === "map") return true;
    if (one.is === "leaf" && (one.leaf === "coerced" || one.leaf === "caught")) return true;
    // all but zod take lists for objects that need no field
    const needsNone = one.is === "record" ||
      one.is === "object" && !one.fields.some(({ presence }) => presence === "required");
    return needsNone && library !== "zod";
  });
}

import type { DetailedRoute, HandlerDetails } from "@sluice/sluice";
import type { OperationDetails, ResponseDetails } from "../metadata/operation.ts";
import { readBy } from "./request_body.ts";
import { REQUEST_PARTS, type RequestPart } from "../metadata/route_schemas.ts";
import type { Serialization, Serializations } from "../metadata/serialization.ts";

/** Everything that a route's functions declare. */
export interface RouteFacts {
  /** Names of the middleware before the handler. */
  readonly names: readonly string[];
  /** Media types that they read. */
  readonly reads: readonly string[];
  /** Each request part's schemas, in checking order. */
  readonly schemas: Readonly<Record<RequestPart, readonly unknown[]>>;
  /** The response schemas, by status; if a status is repeated, the last one wins. */
  readonly responses: ReadonlyMap<string, unknown>;
  /** How requests are rejected, by status; if a status is repeated, the last declaration wins. */
  readonly refuses: Readonly<Record<string, ResponseDetails>>;
  /** Whether a function checks requests without declaring its rejections. */
  readonly refusesSomehow: boolean;
  /** Details for the document. */
  readonly said: OperationDetails;
  /** How parameters and fields are serialized, where declared. */
  readonly serialization: Readonly<Partial<Record<RequestPart, Readonly<Record<string, Serialization>>>>>;
}

/**
 * Collects what a route's functions declare.
 *
 * @param route The route
 */
export function routeFacts({ middleware, handler, details }: DetailedRoute): RouteFacts {
  const said: readonly HandlerDetails[] = [...middleware, ...details === undefined ? [] : [details]];
  const parts = REQUEST_PARTS.map((part) => {
    const schemas = said.map(({ validates }) => validates?.[part]).filter((schema) => schema !== undefined);
    return [part, schemas] as const;
  });
  const serializations = said.flatMap(({ operation }) => (operation?.["serialization"] ?? []) as Serializations);
  const serialization = REQUEST_PARTS.map((
    part,
  ) => [part, Object.assign({}, ...serializations.map((one) => one[part]))]);
  return {
    names: [...middleware.map(({ name }) => name), handler],
    reads: middleware.flatMap(({ name, reads }) => readBy(name, reads)),
    schemas: Object.fromEntries(parts) as unknown as RouteFacts["schemas"],
    responses: new Map(said.flatMap(({ responds }) => Object.entries(responds ?? {}))),
    refuses: Object.assign({}, ...said.map(({ refuses }) => refuses)),
    refusesSomehow: said.some(({ validates, refuses }) =>
      refuses === undefined && Object(validates) === validates && Object.keys(validates!).length > 0
    ),
    serialization: Object.fromEntries(serialization),
    said: said.reduce<OperationDetails>((before, { operation = {} }) => merged(before, operation), {}),
  };
}

function merged(before: OperationDetails, later: OperationDetails): OperationDetails {
  const result: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(later)) if (value !== undefined) result[name] = value;
  const tags = [...before.tags ?? [], ...later.tags ?? []];
  if (tags.length > 0) result["tags"] = [...new Set(tags)];
  for (const name of ["examples", "files", "responses", "callbacks"] as const) {
    if (before[name] !== undefined && later[name] !== undefined) result[name] = { ...before[name], ...later[name] };
  }
  return result;
}

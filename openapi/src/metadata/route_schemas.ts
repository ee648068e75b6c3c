import type { StandardSchemaV1 } from "@standard-schema/spec";

/** Parts of a request that are checked, in the order in which they are. */
export const REQUEST_PARTS = ["params", "query", "headers", "cookies", "body"] as const;

/** A part of a request. */
export type RequestPart = typeof REQUEST_PARTS[number];

/** The schemas of a route's requests: of Standard Schema 1, whichever library they are of. */
export type RequestSchemas = { readonly [Part in RequestPart]?: StandardSchemaV1 };

/** The schemas of a route's responses by their status. */
export type ResponseSchemas = Readonly<Record<number, StandardSchemaV1>>;

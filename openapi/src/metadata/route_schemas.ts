import type { AnySchema } from "./standard_schema.ts";

/** A part of a request. */
export type RequestPart = "params" | "query" | "headers" | "cookies" | "body";

/** Parts of a request that are checked, in this order. */
export const REQUEST_PARTS: readonly RequestPart[] = ["params", "query", "headers", "cookies", "body"];

/** The schemas of a route's requests: Standard Schema 1, from any library. */
export type RequestSchemas = { readonly [Part in RequestPart]?: AnySchema };

/** The schemas of a route's responses, by status. */
export type ResponseSchemas = Readonly<Record<number, AnySchema>>;

import type { AnySchema } from "./standard_schema.ts";

/** A request part. */
export type RequestPart = "params" | "query" | "headers" | "cookies" | "body";

/** Request parts that are checked, in this order. */
export const REQUEST_PARTS: readonly RequestPart[] = ["params", "query", "headers", "cookies", "body"];

/** The schemas for a route's requests: Standard Schema 1, from any library. */
export type RequestSchemas = { readonly [Part in RequestPart]?: AnySchema };

/** The schemas for a route's responses, by status. */
export type ResponseSchemas = Readonly<Record<number, AnySchema>>;

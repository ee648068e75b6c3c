/** A JSON Schema 2020-12 schema, as used by OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/** Which of a schema's types to convert: the one for requests, or the one for responses. */
export type Direction = "input" | "output";

/** Converts a schema without its own conversion to JSON Schema 2020-12; `undefined` if it cannot either. */
export type ToJsonSchema = (schema: unknown, direction: "input" | "output") => JsonSchema | undefined;

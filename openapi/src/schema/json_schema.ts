/** A schema of JSON Schema 2020-12, which OpenAPI 3.1 has. */
export type JsonSchema = Record<string, unknown>;

/** Which of its types a schema is asked for: what requests have, or what responses have. */
export type Direction = "input" | "output";

/** Makes JSON Schema 2020-12 of a schema that cannot itself; `undefined` if it cannot, either. */
export type ToJsonSchema = (schema: unknown, direction: "input" | "output") => JsonSchema | undefined;

/** A schema of Standard Schema 1, whichever library it is of. */
export interface AnySchema {
  /** What the standard has. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Checks a value. */
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
    /** Its types, for the compiler alone. */
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/** What a schema says of a value: what it makes of it, or what is wrong. */
export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** What is wrong with a value. */
export interface SchemaIssue {
  /** What the schema says. */
  readonly message: string;
  /** Where: keys, or objects with one. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema makes of its input. */
export type OutputOf<Schema> = Schema extends AnySchema ? NonNullable<Schema["~standard"]["types"]>["output"] : unknown;

/** What a schema takes. */
export type InputOf<Schema> = Schema extends AnySchema ? NonNullable<Schema["~standard"]["types"]>["input"] : unknown;

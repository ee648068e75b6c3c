/** A Standard Schema 1 schema, from any library. */
export interface AnySchema {
  /** The properties defined by the standard. */
  readonly "~standard": {
    /** The standard's version. */
    readonly version: 1;
    /** The library's name. */
    readonly vendor: string;
    /** Checks a value. */
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
    /** Its types, for the compiler only. */
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/** Validation result: the output, or the issues. */
export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** A validation issue. */
export interface SchemaIssue {
  /** The schema's message. */
  readonly message: string;
  /** Its location: keys, or objects with one. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema's output type. Zod's own comes first, so that in generic functions it is the type `z.output<S>`. */
// deno-lint-ignore no-explicit-any -- two conditional types are related only if their conditions are identical
export type OutputOf<Schema> = Schema extends { _zod: { output: any } } ? Schema["_zod"]["output"]
  : Schema extends AnySchema ? NonNullable<Schema["~standard"]["types"]>["output"]
  : unknown;

/** A schema's input type. */
export type InputOf<Schema> = Schema extends AnySchema ? NonNullable<Schema["~standard"]["types"]>["input"] : unknown;

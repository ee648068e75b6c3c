/** A value whose type only the application knows: a parsed body, a query value, a property set by middleware. */
// deno-lint-ignore no-explicit-any -- Express users read req.body.name without a cast
export type Any = any;

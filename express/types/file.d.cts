// deno-lint-ignore no-explicit-any -- Express has no types for its files, either
declare const file: any;
export = file;

/**
 * Characters that end a parameter name: those of ASCII that no identifier has. Names of letters outside ASCII are read
 * whole; what ends them has to be one of these, for types know no classes of characters.
 */
export type Stop =
  | ("/" | "-" | "." | "?" | "(" | ")" | "{" | "}" | "[" | "]" | "<" | ">" | "*" | ":" | "\\" | "~" | "," | ";" | "@")
  | ("=" | "&" | "+" | "!" | "%" | "'" | '"' | "|" | "^" | "#" | "`" | " ");

/** What stands before the first of the characters that end a name. */
export type BareName<Text extends string, Taken extends string = ""> = Text extends `${infer Char}${infer Rest}`
  ? (Char extends Stop ? Taken : BareName<Rest, `${Taken}${Char}`>)
  : Taken;

/** The parameter name a text begins with: what stands in quotes, or before the first character that ends a name. */
export type Name<Text extends string> = Text extends `"${infer Quoted}"${string}` ? Quoted : BareName<Text>;

/** What follows a known name, in quotes or not. */
export type After<Text extends string, Head extends string> = Text extends `"${Head}"${infer Tail}` ? Tail
  : Text extends `${Head}${infer Tail}` ? Tail
  : "";

/** Whether the text behind a name makes the parameter optional, by Express 4's `?` with or without a constraint. */
export type IsOptional<Tail extends string> = Tail extends `?${string}` ? true
  : Tail extends `(${string})?${string}` ? true
  : false;

/** One parameter, as a key of its own. */
export type Param<Text extends string> = IsOptional<After<Text, Name<Text>>> extends true
  ? { [K in Name<Text>]?: string }
  : { [K in Name<Text>]: string };

/** Parameters of a path, part by part. */
export type ParamsOfText<Text extends string> = Text extends `${infer Head}{${infer Group}}${infer Tail}`
  ? ParamsOfText<Head> & Partial<ParamsOfText<Group>> & ParamsOfText<Tail>
  : Text extends `${infer Head}:${infer Rest}` ? Wildcards<Head> & Param<Rest> & ParamsOfText<After<Rest, Name<Rest>>>
  : Wildcards<Text>;

/** Wildcards: named ones are lists of segments, unnamed ones text. */
export type Wildcards<Text extends string> = Text extends `${string}*${infer Rest}`
  ? (Name<Rest> extends "" ? { 0: string } : { [K in Name<Rest>]: string[] }) & Wildcards<After<Rest, Name<Rest>>>
  // deno-lint-ignore ban-types -- nothing to add to an intersection
  : {};

/**
 * Parameters of a literal path: `/users/:id/files/*path` gives `{ id: string; path: string[] }`, and what stands in
 * braces is optional.
 */
export type PathParams<P extends string> = { [K in keyof ParamsOfText<P>]: ParamsOfText<P>[K] };

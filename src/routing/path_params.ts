/**
 * Characters that end a parameter name: the ASCII characters that an identifier cannot contain. Types have no character
 * classes, so all letters outside ASCII count as part of the name.
 *
 * @internal
 */
export type Stop =
  | ("/" | "-" | "." | "?" | "(" | ")" | "{" | "}" | "[" | "]" | "<" | ">" | "*" | ":" | "\\" | "~" | "," | ";" | "@")
  | ("=" | "&" | "+" | "!" | "%" | "'" | '"' | "|" | "^" | "#" | "`" | " ");

/**
 * The characters before the first one that ends a name.
 *
 * @internal
 */
export type BareName<Text extends string, Taken extends string = ""> = Text extends `${infer Char}${infer Rest}`
  ? (Char extends Stop ? Taken : BareName<Rest, `${Taken}${Char}`>)
  : Taken;

/**
 * The parameter name at the start of a string: in quotes, or up to the first character that ends a name.
 *
 * @internal
 */
export type Name<Text extends string> = Text extends `"${infer Quoted}"${string}` ? Quoted : BareName<Text>;

/**
 * Everything after a known name, quoted or not.
 *
 * @internal
 */
export type After<Text extends string, Head extends string> = Text extends `"${Head}"${infer Tail}` ? Tail
  : Text extends `${Head}${infer Tail}` ? Tail
  : "";

/**
 * Whether the characters after a name make the parameter optional: Express 4's `?`, perhaps after a constraint.
 *
 * @internal
 */
export type IsOptional<Tail extends string> = Tail extends `?${string}` ? true
  : Tail extends `(${string})?${string}` ? true
  : false;

/**
 * One parameter, as its own key.
 *
 * @internal
 */
export type Param<Text extends string> = IsOptional<After<Text, Name<Text>>> extends true
  ? { [K in Name<Text>]?: string }
  : { [K in Name<Text>]: string };

/**
 * A path's parameters, computed part by part.
 *
 * @internal
 */
export type ParamsOfText<Text extends string> = Text extends `${infer Head}{${infer Group}}${infer Tail}`
  ? ParamsOfText<Head> & Partial<ParamsOfText<Group>> & ParamsOfText<Tail>
  : Text extends `${infer Head}:${infer Rest}` ? Wildcards<Head> & Param<Rest> & ParamsOfText<After<Rest, Name<Rest>>>
  : Wildcards<Text>;

/**
 * Wildcards: named ones are lists of segments, unnamed ones strings.
 *
 * @internal
 */
export type Wildcards<Text extends string> = Text extends `${string}*${infer Rest}`
  ? (Name<Rest> extends "" ? { 0: string } : { [K in Name<Rest>]: string[] }) & Wildcards<After<Rest, Name<Rest>>>
  // deno-lint-ignore ban-types -- nothing to add to an intersection
  : {};

/**
 * A literal path's parameters: `/users/:id/files/*path` gives `{ id: string; path: string[] }`. Parts in braces are
 * optional.
 */
// a conditional type, because editors then show the resulting parameters instead of this type's name
export type ParamsOfPath<P extends string> = ParamsOfText<P> extends infer All ? { [K in keyof All]: All[K] } : never;

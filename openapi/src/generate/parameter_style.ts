import type { JsonSchema, OpenApiOperation, OpenApiParameter } from "../document/openapi_document.ts";

/**
 * How a parameter is serialized, in the client runtime's notation.
 *
 * @param parameter The parameter
 * @returns OpenAPI's style, with a star if it is exploded; `undefined` for the default
 */
export function styleOf(
  { in: where, style, explode }: Pick<OpenApiParameter, "in" | "style" | "explode">,
): string | undefined {
  const usual = where === "query" || where === "cookie" ? "form" : "simple";
  const own = style ?? usual;
  const isExploded = explode ?? own === "form";
  if (own === "deepObject" || (own === "form" ? isExploded : own === usual && !isExploded)) return undefined;
  return `${own}${isExploded && own !== "form" ? "*" : ""}`;
}

/**
 * Fields in URL-encoded forms that are not serialized in the default way.
 *
 * @param operation The operation
 * @returns Their names and styles, as for parameters
 */
export function fieldStyles({ requestBody }: OpenApiOperation): (readonly [name: string, style: string])[] {
  const encoding = requestBody?.content["application/x-www-form-urlencoded"]?.encoding ?? {};
  return Object.entries(encoding as Record<string, Pick<OpenApiParameter, "style" | "explode">>).flatMap(
    ([name, { style, explode }]) => {
      const own = styleOf({
        in: "query",
        ...style === undefined ? {} : { style },
        ...explode === undefined ? {} : { explode },
      });
      return own === undefined ? [] : [[name, own] as const];
    },
  );
}

/**
 * Whether a parameter stands for all query parameters: an object without named properties.
 *
 * @param parameter The parameter
 * @param resolve Follows references
 */
export function isFreeQuery(
  { in: where, style = "form", explode = true, schema }: OpenApiParameter,
  resolve: (pointer: string) => JsonSchema | undefined,
): boolean {
  if (where !== "query" || style !== "form" || !explode) return false;
  const { $ref } = schema;
  return (typeof $ref === "string" ? resolve($ref) : schema)?.["type"] === "object";
}

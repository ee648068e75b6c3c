import { styled } from "../client/client_path.ts";
import { fieldTexts } from "../client/parameters.ts";
import type { OpenApiParameter } from "../document/openapi_document.ts";
import { SPANNING } from "../document/parameters.ts";
import { styleOf } from "../generate/parameter_style.ts";

/**
 * Fills in a request's path and query.
 *
 * @param template The path, as in the document
 * @param inputs The parameters, by their names in the input
 * @param input Their values
 * @throws {TypeError} If a path parameter is missing, or would lead to a different path
 */
export function writePath(
  template: string,
  inputs: ReadonlyMap<string, OpenApiParameter>,
  input: Readonly<Record<string, unknown>>,
): string {
  let path = template;
  const query: string[] = [];
  for (const [name, parameter] of inputs) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    const { name: own, style = "form", explode = style === "form" } = parameter;
    if (parameter.in === "path") path = path.replace(`{${own}}`, () => segments(name, value, parameter));
    // OpenAPI's default, in which the properties of an object are separate parameters
    else query.push(...fieldTexts(own, value, style === "form" && explode ? "form*" : styleOf(parameter)));
  }
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

function segments(name: string, value: unknown, parameter: OpenApiParameter): string {
  const all = parameter.description === SPANNING ? String(value ?? "").split("/") : [value];
  return all.map((one) => {
    const text = one === undefined || one === null ? "" : styled(parameter.name, one, styleOf(parameter) ?? "simple");
    // URLs resolve dots even if they are encoded
    if (text !== "" && text !== "." && text !== "..") return text;
    throw new TypeError(`${name} is part of the path: it must be a string or a number, not ${JSON.stringify(value)}`);
  }).join("/");
}

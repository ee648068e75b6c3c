import { joined } from "./parameters.ts";

/** A path parameter: `:id`, `*rest`, `:"any name"`, or an escaped character. */
const PART = /\\(.)|([:*])(?:"([^"]*)"|([$_\p{ID_Start}\d][$\u200c\u200d\p{ID_Continue}]*))/gu;

/**
 * Fills parameters into a path.
 *
 * @param path The path, in route syntax
 * @param params The parameters
 * @param styleOf A parameter's style, if not the default
 * @returns The path, encoded
 * @throws {TypeError} If a parameter is missing, or a segment would be empty, `.` or `..`
 */
export function filledPath(
  path: string,
  params: Readonly<Record<string, unknown>>,
  styleOf: (name: string) => string | undefined,
): string {
  return path.replace(PART, (_whole, literal, kind, quoted, plain) => {
    if (literal !== undefined) return encodeURI(literal);
    const name: string = quoted ?? plain;
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const segments = kind === "*" ? (Array.isArray(value) ? value : String(value ?? "").split("/")) : [value];
    return segments.map((segment) => encodedSegment(path, name, segment, styleOf(name))).join("/");
  });
}

function encodedSegment(path: string, name: string, value: unknown, style = "simple"): string {
  const text = value === undefined || value === null ? "" : styled(name, value, style);
  // URL would resolve the latter two as relative segments
  if (text !== "" && text !== "." && text !== "..") return text;
  throw new TypeError(`${path}: parameter ${name} must be a segment of a path, not ${JSON.stringify(value)}`);
}

/**
 * Serializes a path parameter: `1,2` or `.1,2` or `;name=1,2`; exploded, the latter two repeat the prefix.
 *
 * @param name Its name
 * @param value Its value
 * @param style Its style
 */
export function styled(name: string, value: unknown, style: string): string {
  const explode = style.endsWith("*");
  const written = (one: unknown): string => joined(one, explode, encodeURIComponent);
  if (style.startsWith("label")) return `.${explode ? written(value).replaceAll(",", ".") : written(value)}`;
  if (!style.startsWith("matrix")) return written(value);
  if (!explode) return `;${name}=${written(value)}`;
  if (Array.isArray(value)) return value.map((one) => `;${name}=${written(one)}`).join("");
  const isObject = typeof value === "object" && value !== null;
  return `;${isObject ? written(value).replaceAll(",", ";") : `${name}=${written(value)}`}`;
}

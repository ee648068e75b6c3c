import type { Request } from "@sluice/sluice";
import type { RequestPart } from "../metadata/route_schemas.ts";

/** A value exactly as the client sent it, and how to decode its pieces. */
export interface RawValue {
  /** The value. */
  readonly raw: string;
  /** Decodes a piece of it. */
  decode(piece: string): string;
}

/**
 * Returns a value as sent, where commas separate values, and commas within values are `%2C` (RFC 6570).
 *
 * @param part Its part of the request
 * @param name Its name
 * @param value The value as decoded
 * @param req The request
 * @returns `undefined` if it is unknown, or was not encoded
 */
export function rawValue(part: RequestPart, name: string, value: string, req: Request): RawValue | undefined {
  switch (part) {
    case "query": {
      const [, query = ""] = /\?(.*)/s.exec(req.url) ?? [];
      return found(query.split("&"), name, (text) => decoded(text.replaceAll("+", " ")));
    }
    case "cookies":
      return found((req.get("cookie") ?? "").split(/;[ \t]*/), name, decoded);
    case "params": {
      const path = req.originalUrl.split("?")[0]!;
      if (!path.includes("%")) return undefined;
      const raw = path.split("/").find((segment) => decoded(segment) === value);
      return raw === undefined ? undefined : { raw, decode: decoded };
    }
    default:
      return undefined;
  }
}

function found(pairs: readonly string[], name: string, decode: (text: string) => string): RawValue | undefined {
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at > 0 && decode(pair.slice(0, at)) === name) return { raw: pair.slice(at + 1), decode };
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // as parsers do
    return text;
  }
}

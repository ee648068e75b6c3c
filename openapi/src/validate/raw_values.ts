import type { Request } from "@sluice/sluice";
import type { RequestPart } from "../metadata/route_schemas.ts";

/** A value as it was sent, and how its pieces are decoded. */
export interface RawValue {
  /** The value. */
  readonly raw: string;
  /** Decodes a piece of it. */
  decode(piece: string): string;
}

/**
 * A value as it was sent: the commas between values are commas there, and those within them `%2C` (RFC 6570).
 *
 * @param part The part that it is in
 * @param name Its name
 * @param value The value as it was decoded
 * @param req The request
 * @returns `undefined` if it is not known, or was not encoded
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
    // as parsers leave it
    return text;
  }
}

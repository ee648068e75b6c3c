import { splitList } from "./header_values.ts";
import { parseHttpDate } from "./http_date.ts";

/** A request's conditional headers. */
export interface RequestConditions {
  /** `If-None-Match`. */
  ifNoneMatch?: string | undefined;
  /** `If-Modified-Since`. */
  ifModifiedSince?: string | undefined;
  /** `Cache-Control`. */
  cacheControl?: string | undefined;
}

/** A response's validators. */
export interface Validators {
  /** `ETag`. */
  etag?: string | undefined;
  /** `Last-Modified`. */
  lastModified?: string | undefined;
}

/**
 * Returns whether the client's cached copy is still valid (RFC 9110 section 13.1, RFC 9111 section 5.2.1.4).
 *
 * @param request The request's conditions
 * @param response The response's validators
 * @returns Whether 304 suffices; never for a request with `no-cache`
 */
export function isFresh(request: RequestConditions, response: Validators): boolean {
  const { ifNoneMatch, ifModifiedSince, cacheControl } = request;
  if (!ifNoneMatch && !ifModifiedSince) return false;
  // Unicode spaces count, as in Express's package: the client receives its copy again
  if (cacheControl && /(?:^|,)\s*?no-cache\s*?(?:,|$)/.test(cacheControl)) return false;
  // If-None-Match takes precedence over dates
  if (ifNoneMatch) return ifNoneMatch === "*" || matchesTag(ifNoneMatch, response.etag);
  const modified = parseHttpDate(response.lastModified ?? "");
  return modified <= parseHttpDate(ifModifiedSince!);
}

function matchesTag(list: string, tag: string | undefined): boolean {
  if (!tag) return false;
  const opaque = withoutWeakness(tag);
  return splitList(list).some((one) => withoutWeakness(one) === opaque);
}

function withoutWeakness(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

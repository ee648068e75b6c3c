import { isFresh, type Validators } from "../../http/freshness.ts";
import { splitList } from "../../http/header_values.ts";
import { parseHttpDate } from "../../http/http_date.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";

/**
 * Evaluates the conditions on a request for a file (RFC 9110 section 13.2.2).
 *
 * @param req The request
 * @param validators The file's validators
 * @returns 412 if a precondition failed, 304 if the client's copy is still valid, `null` to send the file
 */
export function evaluateConditions(req: FrameworkRequest, validators: Validators): 304 | 412 | null {
  if (failsPrecondition(req, validators)) return 412;
  const conditions = {
    ifNoneMatch: req.get("if-none-match"),
    ifModifiedSince: req.get("if-modified-since"),
    cacheControl: req.get("cache-control"),
  };
  return isFresh(conditions, validators) ? 304 : null;
}

function failsPrecondition(req: FrameworkRequest, { etag, lastModified }: Validators): boolean {
  const ifMatch = req.get("if-match");
  // as in Express, an empty header counts as missing
  if (ifMatch) {
    return etag === undefined ||
      (ifMatch !== "*" &&
        !splitList(ifMatch).some((one) => one === etag || `W/${one}` === etag || one === `W/${etag}`));
  }
  const since = parseHttpDate(req.get("if-unmodified-since") ?? "");
  return !Number.isNaN(since) && !(parseHttpDate(lastModified ?? "") <= since);
}

/**
 * Returns whether a `Range` may be honored: `If-Range` is absent or matches the current version.
 *
 * @param req The request
 * @param validators The file's validators
 */
export function isRangeCurrent(req: FrameworkRequest, { etag, lastModified }: Validators): boolean {
  const ifRange = req.get("if-range");
  if (!ifRange) return true;
  if (ifRange.includes('"')) return etag !== undefined && ifRange.includes(etag);
  return parseHttpDate(lastModified ?? "") <= parseHttpDate(ifRange);
}

import type { Response } from "@sluice/sluice";

/** Headers as `writeHead` accepts them. */
export type GivenHeaders = Parameters<Response["writeHead"]>[2];

/**
 * Sets headers as `writeHead` would do, but earlier, for code that depends on them or adds to them.
 *
 * @param res The response
 * @param headers What `writeHead` was given
 */
export function setGiven(res: Response, headers: GivenHeaders): void {
  if (!headers) return;
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    return;
  }
  const pairs: [string, string][] = [];
  if (Array.isArray(headers[0])) pairs.push(...headers as [string, string][]);
  else for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at], headers[at + 1]]);
  for (const [name] of pairs) res.removeHeader(name);
  for (const [name, value] of pairs) res.appendHeader(name, value);
}

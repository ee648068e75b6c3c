/** Rules for every response to any request. */
import type { Wrong } from "../fuzzer.ts";
import type { PlainRequest } from "./random_request.ts";
import { OUTSIDE } from "./target.ts";

/** Statuses from 500 up that respond to a client error or a limit. */
const ALLOWED = [501, 503, 505];

/**
 * Checks a response against all rules.
 *
 * @param request The request
 * @param response The response
 * @param body Its body
 */
export function brokenRule({ method }: PlainRequest, response: Response, body: Uint8Array): Wrong | undefined {
  const { status, headers } = response;
  const wrong = (kind: string): Wrong => ({
    kind,
    detail: Deno.inspect({ status, headers, body: textOf(body).slice(0, 300) }),
  });
  if (status >= 500 && !ALLOWED.includes(status)) return wrong(`an answer is ${status}`);
  if (textOf(body) === OUTSIDE) return wrong("a file outside of the served folder is sent");
  const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
  if (isEmpty && body.length > 0) return wrong("an answer that has no body has one");
  const length = headers.get("content-length");
  if (!isEmpty && length !== null && Number(length) !== body.length) return wrong("the length is not that of the body");
  if (status === 206 && !/^bytes \d+-\d+\/\d+$/.test(headers.get("content-range") ?? "")) {
    return wrong("206 does not tell the range");
  }
  if (status === 416 && !/^bytes \*\/\d+$/.test(headers.get("content-range") ?? "")) {
    return wrong("416 does not tell the length");
  }
  if (/<script>/.test(textOf(body)) && /html/.test(headers.get("content-type") ?? "")) {
    return wrong("a page repeats a script");
  }
  if (headers.getSetCookie().some((cookie) => /[^\x21-\x7e ]/.test(cookie))) {
    return wrong("a cookie has odd characters");
  }
  if (body.length > 0 && /json/.test(headers.get("content-type") ?? "") && !isJson(textOf(body)) && status !== 206) {
    return wrong("an answer with the type of JSON is none");
  }
  return undefined;
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

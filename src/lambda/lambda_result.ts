import { asciiUpperCase } from "../util/ascii.ts";
import { Buffer, isUtf8 } from "node:buffer";
import { statusText } from "../http/status_text.ts";
import { isBalancer, isV2, type LambdaEvent } from "./lambda_event.ts";

/** A response's status and headers, in the shape that the event's sender expects. */
export interface LambdaResultHead {
  /** The status. */
  statusCode: number;
  /** Status and reason phrase, for load balancers. */
  statusDescription?: string;
  /** The headers, with one value each. */
  headers?: Record<string, string>;
  /** The headers with all values, if the request used this form. */
  multiValueHeaders?: Record<string, string[]>;
  /** The cookies, separately, for payload 2.0. */
  cookies?: string[];
}

/** A response as Lambda expects it. */
export interface LambdaResult extends LambdaResultHead {
  /** The body, as a string or in base64. */
  body: string;
  /** Whether the body is in base64. */
  isBase64Encoded: boolean;
}

/**
 * Converts status and headers to the shape that the event's sender expects; API Gateway refuses unknown fields.
 *
 * @param event The event
 * @param response The response
 * @returns Status and headers
 */
export function resultHead(event: LambdaEvent, response: Response): LambdaResultHead {
  const { status, headers } = response;
  const cookies = headers.getSetCookie();
  const others = [...headers].filter(([name]) => name !== "set-cookie");
  if (isV2(event)) {
    const head = { statusCode: status, headers: Object.fromEntries(others) };
    return cookies.length > 0 ? { ...head, cookies } : head;
  }
  const head: LambdaResultHead = { statusCode: status };
  if (isBalancer(event)) head.statusDescription = `${status} ${response.statusText || (statusText(status) ?? "")}`;
  if (event.multiValueHeaders) {
    head.multiValueHeaders = Object.fromEntries(others.map(([name, value]) => [name, [value]]));
    if (cookies.length > 0) head.multiValueHeaders["set-cookie"] = cookies;
    return head;
  }
  // each name can have only one value, so repeated cookies get names with different capitalization
  const spelled = cookies.map((cookie, at) => [spelling("set-cookie", at), cookie]);
  head.headers = Object.fromEntries([...others, ...spelled]);
  return head;
}

function spelling(name: string, nth: number): string {
  let rest = nth;
  return name.replace(/[a-z]/g, (letter) => {
    const capital = rest & 1;
    rest >>= 1;
    return capital ? asciiUpperCase(letter) : letter;
  });
}

/**
 * Converts a response. A body that is valid UTF-8 is sent as a string, because REST APIs do not decode base64 unless
 * binary types are configured; any other body is sent in base64. Either way the client gets the same bytes.
 *
 * @param event The event
 * @param response The response
 * @returns The invocation's result
 */
export async function resultOf(event: LambdaEvent, response: Response): Promise<LambdaResult> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isBase64Encoded = !isUtf8(bytes);
  const body = bytes.toString(isBase64Encoded ? "base64" : "utf8");
  return { ...resultHead(event, response), body, isBase64Encoded };
}

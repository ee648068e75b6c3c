import { Buffer, isUtf8 } from "node:buffer";
import { statusText } from "../http/status_text.ts";
import { isBalancer, isV2, type LambdaEvent } from "./lambda_event.ts";

/** Status and headers of an answer, in the shape the event's sender reads. */
export interface LambdaResultHead {
  /** The status. */
  statusCode: number;
  /** The status with its words, for load balancers. */
  statusDescription?: string;
  /** One value for each header. */
  headers?: Record<string, string>;
  /** All values of each header, where the request had them like this. */
  multiValueHeaders?: Record<string, string[]>;
  /** The cookies, one each, for payload 2.0. */
  cookies?: string[];
}

/** An answer as Lambda takes it. */
export interface LambdaResult extends LambdaResultHead {
  /** The body, as text or in base64. */
  body: string;
  /** Whether the body is in base64. */
  isBase64Encoded: boolean;
}

/**
 * Puts an answer into the shape the event's sender reads; API Gateway refuses fields it does not know.
 *
 * @param event The event
 * @param response The answer
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
  // one value each is all there is room for, but names that differ in case are names of their own
  const spelled = cookies.map((cookie, at) => [spelling("set-cookie", at), cookie]);
  head.headers = Object.fromEntries([...others, ...spelled]);
  return head;
}

function spelling(name: string, nth: number): string {
  let rest = nth;
  return name.replace(/[a-z]/g, (letter) => {
    const capital = rest & 1;
    rest >>= 1;
    return capital ? letter.toUpperCase() : letter;
  });
}

/**
 * Collects an answer. A body that is UTF-8 goes as text, for REST APIs leave base64 as it is unless they are told of
 * binary types; every other body goes in base64. Either way the client gets the same bytes.
 *
 * @param event The event
 * @param response The answer
 * @returns The result of the invocation
 */
export async function resultOf(event: LambdaEvent, response: Response): Promise<LambdaResult> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isBase64Encoded = !isUtf8(bytes);
  const body = bytes.toString(isBase64Encoded ? "base64" : "utf8");
  return { ...resultHead(event, response), body, isBase64Encoded };
}

import { varyOf } from "../../../tests/support/page_vary.ts";
import type { Ask } from "./random_program.ts";

/** Time limit for a response in ms. */
const PATIENCE_MS = 20_000;

/** Headers that depend on the server and its connections instead of the application. */
const SERVERS = ["connection", "date", "keep-alive", "transfer-encoding"];

/**
 * Sends a request to one of several applications.
 *
 * @param origin The server's origin
 * @param headers Headers that select the application or the request
 * @param ask The request
 * @returns The response as a client sees it, except for parts that may differ between Express and Sluice
 */
export async function seenBy(origin: string, headers: Record<string, string>, ask: Ask): Promise<unknown> {
  const { path, method, type, body } = ask;
  let response: Response;
  try {
    response = await fetch(origin + path, {
      method,
      headers: {
        ...headers,
        ...type === null ? {} : { "content-type": type },
        "x-asked": method,
        "x-forwarded-for": "1.2.3.4",
        "x-forwarded-proto": "https",
        "accept": "text/html",
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (error) {
    return `no response: ${(error as Error).name}`;
  }
  const given = await response.text();
  // error stacks differ, and may count the framework's own frames
  const shown = given.replace(/<br> &nbsp; &nbsp;(?:at|…) [^]*<\/pre>/, "</pre>")
    .replace(/(?<=<pre>SyntaxError: )[^<]*/, "");
  const policy = response.headers.get("content-security-policy");
  const kept = [...response.headers].filter(([name]) => !SERVERS.includes(name))
    .map(([name, value]) => [name, name === "vary" ? varyOf(value, policy) : value])
    // an error page has a stack, and Node sends no length if only `end` knows it
    .filter(([name, value]) =>
      value !== null && !(name === "content-length" && (policy !== null || method === "HEAD"))
    );
  return [response.status, kept, shown];
}

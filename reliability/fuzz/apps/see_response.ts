import { varyOf } from "../../../tests/support/page_vary.ts";
import type { Ask } from "./random_program.ts";

/** ms after which a response no longer counts. */
const PATIENCE_MS = 20_000;

/** Headers that depend on the server and its connections, rather than on the application. */
const SERVERS = ["connection", "date", "keep-alive", "transfer-encoding"];

/**
 * Sends a request to one of several applications.
 *
 * @param origin Where they listen
 * @param headers Headers that say which application, or which request it is
 * @param ask The request
 * @returns What a client sees, except for what Express and Sluice need not have in common
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
  // the stack of an error is not the same, and may be the framework's own frames, counted
  const shown = given.replace(/<br> &nbsp; &nbsp;(?:at|…) [^]*<\/pre>/, "</pre>")
    .replace(/(?<=<pre>SyntaxError: )[^<]*/, "");
  const policy = response.headers.get("content-security-policy");
  const kept = [...response.headers].filter(([name]) => !SERVERS.includes(name))
    .map(([name, value]) => [name, name === "vary" ? varyOf(value, policy) : value])
    // an error page has a stack, and Node sends no length where only `end` knows it
    .filter(([name, value]) =>
      value !== null && !(name === "content-length" && (policy !== null || method === "HEAD"))
    );
  return [response.status, kept, shown];
}

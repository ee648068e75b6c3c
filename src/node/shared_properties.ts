import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { assignOwn } from "../util/assignable.ts";

/** Own properties of every Node request, in the order they are created; filled in by the first request. */
let nodesOwn: readonly string[] | null = null;

const NOTHING: string[] = [];

/** Properties that Express assigns again for each application, and that our requests are created with. */
const OURS: ReadonlySet<string> = new Set(["body", "res", "route", "next"]);

/** Values that both sides parse: earlier middleware may have unsigned the cookies, or sanitized the query. */
const PARSED: ReadonlySet<string> = new Set(["cookies", "query"]);

/**
 * Names of the properties that middleware has added to Node's request, such as `user` and `session`.
 *
 * @param incoming Node's request
 */
function sharedNames(incoming: IncomingMessage): string[] {
  const names = Object.keys(incoming);
  // adding a listener creates a property as well
  const known = nodesOwn ??= Object.keys(new IncomingMessage(new Socket()).on("error", () => {}));
  let first = 0;
  // most requests have nothing added, and this loop is all it takes to find out
  while (first < names.length && names[first] === known[first]) first++;
  return first === names.length ? NOTHING : names.slice(first).filter((name) => !known.includes(name));
}

/**
 * Makes properties that earlier middleware has added to Node's request visible on the application's. They stay on
 * Node's: a session that is regenerated, or set to `null`, changes for the earlier middleware, too, and vice versa.
 *
 * @param incoming Node's request
 * @param req The application's request, whose own properties take precedence
 */
export function shareProperties(incoming: IncomingMessage, req: FrameworkRequest): void {
  const from = incoming as unknown as Record<string, unknown>;
  for (const name of sharedNames(incoming)) {
    if (PARSED.has(name)) assignOwn(req, name, from[name]);
    else if (!(name in req)) {
      Object.defineProperty(req, name, {
        get: () => from[name],
        set: (value: unknown) => from[name] = value,
        configurable: true,
        enumerable: true,
      });
    }
  }
}

/**
 * Copies properties that the application's middleware has added to its request to Node's, for the handlers after it.
 *
 * @param req The application's request
 * @param incoming Node's request
 */
export function copyPropertiesBack(req: FrameworkRequest, incoming: IncomingMessage): void {
  const prototype = Object.getPrototypeOf(req);
  for (const name of Object.keys(req)) {
    // our session is saved with our response; session middleware after us would take it for its own
    if (OURS.has(name) || name === "session" || name in incoming || (name in prototype && !PARSED.has(name))) continue;
    assignOwn(incoming, name, req[name as keyof FrameworkRequest]);
  }
}

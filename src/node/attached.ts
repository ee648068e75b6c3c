import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { assignOwn } from "../http/assignable.ts";

/** What Node's requests have by themselves, in the order in which they come by it; made by the first request. */
let nodesOwn: readonly string[] | null = null;

const NOTHING: string[] = [];

/** What Express assigns again in front of each of its applications, and ours are made with. */
const OURS: ReadonlySet<string> = new Set(["body", "res", "route", "next"]);

/** What both sides parse themselves: middleware may have unsigned cookies, or taken out what it does not let through. */
const PARSED: ReadonlySet<string> = new Set(["cookies", "query"]);

/**
 * Names of what middleware has put on Node's request, such as `user` and `session`.
 *
 * @param incoming Node's request
 */
function attachedTo(incoming: IncomingMessage): string[] {
  const names = Object.keys(incoming);
  // what listens to it adds a property as well
  const known = nodesOwn ??= Object.keys(new IncomingMessage(new Socket()).on("error", () => {}));
  let first = 0;
  // nothing was put on most, which takes no more than this to see
  while (first < names.length && names[first] === known[first]) first++;
  return first === names.length ? NOTHING : names.slice(first).filter((name) => !known.includes(name));
}

/**
 * Shows on a request what middleware in front has put on Node's. It stays there: a session that is made anew, or set to
 * `null`, is so for those in front, too, and the other way round.
 *
 * @param incoming Node's request
 * @param req The application's, whose own properties stay
 */
export function showAttached(incoming: IncomingMessage, req: FrameworkRequest): void {
  const from = incoming as unknown as Record<string, unknown>;
  for (const name of attachedTo(incoming)) {
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
 * Puts on Node's request what middleware of the application has put on its own, for those behind it.
 *
 * @param req The application's request
 * @param incoming Node's
 */
export function handBack(req: FrameworkRequest, incoming: IncomingMessage): void {
  const face = Object.getPrototypeOf(req);
  for (const name of Object.keys(req)) {
    // a session is saved with our answer, and whoever makes one behind takes it for a sign that this was done
    if (OURS.has(name) || name === "session" || name in incoming || (name in face && !PARSED.has(name))) continue;
    assignOwn(incoming, name, req[name as keyof FrameworkRequest]);
  }
}

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { types } from "node:util";
import { assignOwn } from "../util/assignable.ts";

/** Own properties of what Node itself makes, with those that listeners add. */
interface Known {
  readonly request: ReadonlySet<string>;
  readonly response: ReadonlySet<string>;
}

let known: Known | null = null;

function nodesOwn(): Known {
  if (known !== null) return known;
  const request = new IncomingMessage(new Socket()).on("error", () => {});
  const response = new ServerResponse(request).on("error", () => {});
  const names = (object: object): Set<string> => new Set(Object.getOwnPropertyNames(object));
  // of a request that asks for an upgrade
  return known = { request: names(request).add("parser"), response: names(response) };
}

/** What Express assigns again for each application, and our objects are made with. */
const OURS: ReadonlySet<string> = new Set([
  ...["app", "baseUrl", "body", "locals", "next", "originalUrl", "params", "req", "res", "route", "_parsedUrl"],
]);

/** Values that both sides parse: earlier middleware may have unsigned the cookies, or sanitized the query. */
const PARSED: ReadonlySet<string> = new Set(["cookies", "query"]);

type Properties = Record<string, unknown>;

/**
 * Makes properties that earlier middleware has added to Node's request visible on the application's, also in place of
 * the application's own: who sets `req.ip` means it. They stay on Node's: a session that is regenerated, or set to
 * `null`, changes for the earlier middleware, too, and vice versa.
 *
 * @param incoming Node's request
 * @param req The application's request
 */
export function shareRequest(incoming: IncomingMessage, req: object): void {
  const from = incoming as unknown as Properties;
  for (const name of addedTo(incoming, nodesOwn().request, IncomingMessage.prototype)) {
    if (PARSED.has(name)) assignOwn(req, name, from[name]);
    else share(from, name, req);
  }
  if (types.isProxy(incoming)) inheritFrom(from, req);
}

/**
 * The same of a response. What replaces Node's own methods is called when the response is sent.
 *
 * @param outgoing Node's response
 * @param res The application's response
 */
export function shareResponse(outgoing: ServerResponse, res: object): void {
  const from = outgoing as unknown as Properties;
  for (const name of addedTo(outgoing, nodesOwn().response, ServerResponse.prototype)) share(from, name, res);
}

function addedTo(object: object, known: ReadonlySet<string>, prototype: object): string[] {
  return Object.getOwnPropertyNames(object).filter((name) =>
    !known.has(name) && !OURS.has(name) && !(name in prototype)
  );
}

function share(from: Properties, name: string, to: object): void {
  Object.defineProperty(to, name, {
    get: () => from[name],
    set: (value: unknown) => from[name] = value,
    configurable: true,
    enumerable: true,
  });
}

// A proxy may have any property, and tells of none. What the application's request has itself comes first.
function inheritFrom(from: Properties, to: object): void {
  const prototype = Object.getPrototypeOf(to);
  const both = new Proxy(Object.create(prototype), {
    get: (_target, name, receiver) =>
      name in prototype || typeof name === "symbol" ? Reflect.get(prototype, name, receiver) : from[name],
    has: (_target, name) => name in prototype || name in from,
  });
  Object.setPrototypeOf(to, both);
}

/**
 * Copies properties that the application's middleware has added to its request to Node's, for the handlers after it.
 *
 * @param req The application's request
 * @param incoming Node's request
 */
export function copyRequestBack(req: object, incoming: IncomingMessage): void {
  // our session is saved with our response; session middleware after us would take it for its own
  copyBack(req, incoming, (name) => name !== "session");
  if (!("query" in incoming)) share(req as Properties, "query", incoming);
}

/**
 * The same of a response.
 *
 * @param res The application's response
 * @param outgoing Node's response
 */
export function copyResponseBack(res: object, outgoing: ServerResponse): void {
  copyBack(res, outgoing, () => true);
}

function copyBack(from: object, to: object, isCopied: (name: string) => boolean): void {
  const prototype = Object.getPrototypeOf(from);
  for (const name of Object.keys(from)) {
    if (OURS.has(name) || !isCopied(name) || name in to || (name in prototype && !PARSED.has(name))) continue;
    assignOwn(to, name, (from as Properties)[name]);
  }
}

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { types } from "node:util";
import { assignOwn } from "../util/assignable.ts";

/** Own properties on objects that Node creates, including those that listeners add. */
interface Known {
  readonly request: ReadonlySet<string | symbol>;
  readonly response: ReadonlySet<string | symbol>;
}

let known: Known | null = null;

function nodesOwn(): Known {
  if (known !== null) return known;
  const request = new IncomingMessage(new Socket()).on("error", () => {});
  const response = new ServerResponse(request).on("error", () => {});
  const names = (object: object): Set<string | symbol> => new Set(Reflect.ownKeys(object));
  // added to requests for an upgrade
  return known = { request: names(request).add("parser"), response: names(response) };
}

/** Properties that Express assigns again for each application, and that our objects have from creation. */
const OURS: ReadonlySet<string> = new Set([
  ...["app", "baseUrl", "body", "locals", "next", "originalUrl", "params", "req", "res", "route", "_parsedUrl"],
]);

/** Values that both sides parse: earlier middleware may have unsigned the cookies, or sanitized the query. */
const PARSED: ReadonlySet<string> = new Set(["cookies", "query"]);

type Properties = Record<string | symbol, unknown>;

/**
 * Exposes properties that earlier middleware added to Node's request on the application's request, even over its own:
 * code that sets `req.ip` means it. They stay on Node's request, so a session that is regenerated, or set to `null`,
 * also changes for the earlier middleware, and vice versa.
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
 * The same for a response. Replacements for Node's own methods are called when the response is sent. A method added by
 * other code may send Node's response itself, as @fastify/express's `send` does.
 *
 * @param outgoing Node's response
 * @param res The application's response
 * @param beforeCall Runs before such a method is read, and so before it is called
 */
export function shareResponse(outgoing: ServerResponse, res: object, beforeCall: () => void): void {
  const from = outgoing as unknown as Properties;
  for (const name of addedTo(outgoing, nodesOwn().response, ServerResponse.prototype)) {
    share(from, name, res, beforeCall);
  }
}

/** Properties that Express sets on Node's request, where monitoring agents read them. */
const SHOWN = ["app", "baseUrl", "body", "originalUrl", "params", "query", "route"];

/**
 * Makes Node's request expose the same properties as Express's, for monitoring agents, which identify a request by
 * Node's object. Properties that agents set there under symbols also appear on the application's request. Properties
 * they set on the application's request appear on Node's once the response ends, before agents are notified.
 *
 * @param incoming Node's request
 * @param outgoing Node's response
 * @param req The application's request
 * @param res The application's response
 */
export function showToAgents(incoming: IncomingMessage, outgoing: ServerResponse, req: object, res: object): void {
  const { request, response } = nodesOwn();
  for (const name of SHOWN) if (!Object.hasOwn(incoming, name)) share(req as Properties, name, incoming);
  if (!Object.hasOwn(incoming, "res")) assignOwn(incoming, "res", outgoing);
  const ours = new Set<string | symbol>(Object.getOwnPropertySymbols(req));
  shareSymbols(incoming, request, req);
  shareSymbols(outgoing, response, res);
  const handOver = (): void => shareSymbols(req, ours, incoming);
  outgoing.prependOnceListener("finish", handOver).prependOnceListener("close", handOver);
}

function shareSymbols(from: object, known: ReadonlySet<string | symbol>, to: object): void {
  for (const key of Object.getOwnPropertySymbols(from)) {
    if (!known.has(key) && !Object.hasOwn(to, key)) share(from as Properties, key, to);
  }
}

function addedTo(object: object, known: ReadonlySet<string | symbol>, prototype: object): string[] {
  return Object.getOwnPropertyNames(object).filter((name) =>
    !known.has(name) && !OURS.has(name) && !(name in prototype)
  );
}

function share(from: Properties, name: string | symbol, to: object, beforeCall?: () => void): void {
  Object.defineProperty(to, name, {
    get() {
      const value = from[name];
      if (typeof value === "function") beforeCall?.();
      return value;
    },
    set: (value: unknown) => from[name] = value,
    configurable: true,
    enumerable: true,
  });
}

// A proxy may have any property, and does not list them; it gets those the application adds. The application's own
// request properties take precedence.
function inheritFrom(from: Properties, to: object): void {
  const prototype = Object.getPrototypeOf(to);
  const both = new Proxy(Object.create(prototype), {
    get: (_target, name, receiver) =>
      name in prototype || typeof name === "symbol" ? Reflect.get(prototype, name, receiver) : from[name],
    set: (_target, name, value, receiver) =>
      name in prototype || typeof name === "symbol"
        ? Reflect.set(prototype, name, value, receiver)
        : Reflect.set(from, name, value),
    has: (_target, name) => name in prototype || name in from,
  });
  Object.setPrototypeOf(to, both);
}

/**
 * Copies properties that the application's middleware has added to its request to Node's request, for later handlers.
 *
 * @param req The application's request
 * @param incoming Node's request
 */
export function copyRequestBack(req: object, incoming: IncomingMessage): void {
  // our session is saved with our response; later session middleware would mistake it for its own
  copyBack(req, incoming, (name) => name !== "session");
  if (!("query" in incoming)) share(req as Properties, "query", incoming);
}

/**
 * The same for a response.
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
    const value = (from as Properties)[name];
    const isReplaced = PARSED.has(name) && Object.hasOwn(to, name) && (to as Properties)[name] !== value;
    const isKept = OURS.has(name) || !isCopied(name) || name in to || (name in prototype && !PARSED.has(name));
    if (isReplaced || !isKept) assignOwn(to, name, value);
  }
}

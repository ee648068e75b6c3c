/** The service without a framework: the part shared by the web API and Node's. */
import { found, itemOf, type Order, pageOf, placed, RESOURCES, userOf } from "../service/content.ts";
import type { Application } from "../service/scenarios.ts";

/** Which bytes a handler sends: the fewest, lean Sluice's, or Sluice's with default settings. */
export type Bytes = "fewest" | "lean" | "same";

/**
 * How to read a request and respond.
 *
 * @typeParam C Stands for a request: a web request, or Node's response
 * @typeParam R A response: a web response, or nothing
 */
export interface Replies<C, R> {
  /** Reads `Authorization`. */
  authorization(context: C): string | null | undefined;
  /** Reads a JSON body. */
  body(context: C): Promise<unknown>;
  text(context: C, text: string): R;
  json(context: C, value: unknown): R;
  /** Responds with 201. */
  created(context: C, value: unknown): R;
  /** Responds with a header `X-User`. */
  toUser(context: C, value: unknown, user: string): R;
  /** Responds with a file: asynchronously, because reading a disk would block all other clients. */
  file(context: C, name: string): Promise<R>;
  /** Responds with 404. */
  missing(context: C, path: string): R;
}

/** Handles a request. */
export type ByHand<C, R> = (context: C, target: string) => R | Promise<R>;

const SEPARATE = new Set(RESOURCES);

/**
 * Creates an application's handler.
 *
 * @param application The application
 * @param replies How to read requests and respond
 */
export function byHand<C, R>(application: Application, replies: Replies<C, R>): ByHand<C, R> {
  switch (application) {
    case "service":
      return service(replies);
    case "routes":
      return routes(replies);
    case "middleware":
      // the middleware does nothing, so the hand-written version has none
      return (context, target) => replies.json(context, itemOf(target.slice("/items/".length)));
  }
}

function service<C, R>(replies: Replies<C, R>): ByHand<C, R> {
  async function account(context: C, id: string): Promise<R> {
    const user = await userOf(replies.authorization(context));
    return replies.toUser(context, { id, user }, user);
  }
  return (context, target) => {
    if (target.startsWith("/hello/")) return replies.text(context, `Hello, ${decoded(target.slice(7))}!`);
    if (target.startsWith("/items/")) return replies.json(context, itemOf(decoded(target.slice(7))));
    if (target.startsWith("/pages/")) return replies.json(context, pageOf(decoded(target.slice(7))));
    if (target.startsWith("/search?")) {
      const fields = fieldsOf(target.slice(8));
      return replies.json(context, found(fields["q"]!, fields["sort"]!, fields["page"]!));
    }
    if (target.startsWith("/account/orders/")) return account(context, decoded(target.slice(16)));
    if (target === "/orders") {
      return replies.body(context).then((order) => replies.created(context, placed(order as Order)));
    }
    if (target.startsWith("/teams/")) {
      const [, , team, , member] = target.split("/");
      return replies.json(context, { team: decoded(team!), member: decoded(member!) });
    }
    if (target.startsWith("/assets/")) {
      const name = pathOf(target).slice(8);
      if (/^[\w-]+\.css$/.test(name)) return replies.file(context, name);
    }
    return replies.missing(context, pathOf(target));
  };
}

function routes<C, R>(replies: Replies<C, R>): ByHand<C, R> {
  return (context, target) => {
    const end = target.indexOf("/", 5);
    const resource = target.slice(5, end);
    if (!SEPARATE.has(resource)) return replies.missing(context, target);
    return replies.json(context, { resource, id: decoded(target.slice(end + 1)) });
  };
}

function pathOf(target: string): string {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
}

function fieldsOf(query: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const field of query.split("&")) {
    const end = field.indexOf("=");
    fields[field.slice(0, end)] = decoded(field.slice(end + 1));
  }
  return fields;
}

function decoded(text: string): string {
  return text.includes("%") ? decodeURIComponent(text) : text;
}

/** Express's 404 page. */
export function notFoundPage(path: string): string {
  return '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n' +
    `<body>\n<pre>Cannot GET ${path}</pre>\n</body>\n</html>\n`;
}

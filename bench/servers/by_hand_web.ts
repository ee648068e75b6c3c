/** The hand-written service for servers with web requests, in the cheapest way on Deno. */
import { fileEntityTag, weakEntityTag } from "../../src/http/entity_tag.ts";
import type { Application } from "../service/scenarios.ts";
import { byHand, type Bytes, notFoundPage, type Replies } from "./by_hand.ts";
import { fileBody, fileStat } from "./disk.ts";
import type { FetchHandler } from "./handlers.ts";

type WebReplies = Replies<Request, Response>;

const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const CSS_TYPE = "text/css; charset=utf-8";
const NOT_FOUND = {
  "content-security-policy": "default-src 'none'",
  "x-content-type-options": "nosniff",
  "content-type": HTML,
};

const CREATED = { status: 201 };
const PLAIN_JSON = { headers: { "content-type": "application/json" } };
const CREATED_JSON = { status: 201, headers: { "content-type": "application/json" } };
const MISSING = { status: 404 };
const TEXT_INIT = { headers: { "content-type": HTML } };
const JSON_INIT = { headers: { "content-type": JSON_TYPE } };

/**
 * Creates the handler.
 *
 * @param application The application
 * @param bytes Which bytes it sends
 * @param folder The static files' folder
 */
export function byHandWeb(application: Application, bytes: Bytes, folder: string): FetchHandler {
  const handler = byHand(application, { fewest, lean, same }[bytes](folder));
  return (request) => {
    const { url } = request;
    return handler(request, url.slice(url.indexOf("/", 8)));
  };
}

function fewest(folder: string): WebReplies {
  return {
    authorization: (request) => request.headers.get("authorization"),
    body: (request) => request.json(),
    text: (_request, text) => new Response(text),
    json: (_request, value) => Response.json(value),
    created: (_request, value) => Response.json(value, CREATED),
    toUser: (_request, value, user) => Response.json(value, { headers: { "x-user": user } }),
    file: async (_request, name) => {
      return new Response(await fileBody(`${folder}/${name}`), { headers: { "content-type": "text/css" } });
    },
    missing: () => new Response("Not Found", MISSING),
  };
}

function lean(folder: string): WebReplies {
  return {
    ...fewest(folder),
    text(_request, text) {
      const response = new Response(text);
      // cheaper on Deno than passing a header list
      response.headers.set("content-type", HTML);
      return response;
    },
    // not `Response.json`, which adds a charset on Bun
    json: (_request, value) => new Response(JSON.stringify(value), PLAIN_JSON),
    created: (_request, value) => new Response(JSON.stringify(value), CREATED_JSON),
    toUser(_request, value, user) {
      const headers = { "content-type": "application/json", "x-user": user };
      return new Response(JSON.stringify(value), { headers });
    },
    file: (request, name) => taggedFile(request, `${folder}/${name}`),
    missing: (_request, path) => new Response(notFoundPage(path), { status: 404, headers: NOT_FOUND }),
  };
}

function same(folder: string): WebReplies {
  return {
    ...lean(folder),
    text: (request, text) => tagged(request, text, TEXT_INIT),
    json: (request, value) => tagged(request, JSON.stringify(value), JSON_INIT),
    created(_request, value) {
      const body = JSON.stringify(value);
      return new Response(body, { status: 201, headers: { "content-type": JSON_TYPE, "etag": weakEntityTag(body) } });
    },
    toUser(request, value, user) {
      const response = tagged(request, JSON.stringify(value), JSON_INIT);
      response.headers.set("x-user", user);
      return response;
    },
  };
}

function tagged(request: Request, body: string, init: ResponseInit): Response {
  const etag = weakEntityTag(body);
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers: { etag } });
  const response = new Response(body, init);
  response.headers.set("etag", etag);
  return response;
}

async function taggedFile(request: Request, path: string): Promise<Response> {
  const { size, mtime } = await fileStat(path);
  const headers = {
    "accept-ranges": "bytes",
    "cache-control": "public, max-age=0",
    "etag": fileEntityTag({ size, mtimeMs: mtime.getTime() }),
    "last-modified": mtime.toUTCString(),
  };
  if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
  return new Response(await fileBody(path), { headers: { ...headers, "content-type": CSS_TYPE } });
}

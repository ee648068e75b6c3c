/** The hand-written service for `node:http`. */
import { Buffer } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { fileEntityTag, weakEntityTag } from "../../src/http/entity_tag.ts";
import type { Application } from "../service/scenarios.ts";
import { byHand, type Bytes, notFoundPage, type Replies } from "./by_hand.ts";

type NodeReplies = Replies<ServerResponse<IncomingMessage>, void>;

const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const CSS_TYPE = "text/css; charset=utf-8";

/**
 * Creates the listener.
 *
 * @param application The application
 * @param bytes Which bytes it sends
 * @param folder The static files' folder
 */
export function byHandNode(application: Application, bytes: Bytes, folder: string): RequestListener {
  const handler = byHand(application, { fewest, lean, same }[bytes](folder));
  return (req, res) => void handler(res, req.url!);
}

function fewest(folder: string): NodeReplies {
  const json = "application/json";
  return {
    authorization: ({ req }) => req.headers.authorization,
    body: ({ req }) => bodyOf(req),
    text: (res, text) => send(res, 200, { "Content-Type": "text/plain" }, text),
    json: (res, value) => send(res, 200, { "Content-Type": json }, JSON.stringify(value)),
    created: (res, value) => send(res, 201, { "Content-Type": json }, JSON.stringify(value)),
    toUser: (res, value, user) => send(res, 200, { "Content-Type": json, "X-User": user }, JSON.stringify(value)),
    async file(res, name) {
      const bytes = await readFile(`${folder}/${name}`);
      res.writeHead(200, { "Content-Type": "text/css", "Content-Length": bytes.byteLength }).end(bytes);
    },
    missing: (res) => send(res, 404, { "Content-Type": "text/plain" }, "Not Found"),
  };
}

function lean(folder: string): NodeReplies {
  return {
    ...fewest(folder),
    text: (res, text) => send(res, 200, { "Content-Type": HTML }, text),
    file: (res, name) => taggedFile(res, `${folder}/${name}`),
    missing(res, path) {
      const headers = {
        "Content-Security-Policy": "default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Content-Type": HTML,
      };
      send(res, 404, headers, notFoundPage(path));
    },
  };
}

function same(folder: string): NodeReplies {
  return {
    ...lean(folder),
    text: (res, text) => tagged(res, { "Content-Type": HTML }, text),
    json: (res, value) => tagged(res, { "Content-Type": JSON_TYPE }, JSON.stringify(value)),
    created(res, value) {
      const body = JSON.stringify(value);
      send(res, 201, { "Content-Type": JSON_TYPE, "ETag": weakEntityTag(body) }, body);
    },
    toUser: (res, value, user) => tagged(res, { "Content-Type": JSON_TYPE, "X-User": user }, JSON.stringify(value)),
  };
}

function send(res: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: string): void {
  headers["Content-Length"] = Buffer.byteLength(body);
  res.writeHead(status, headers);
  res.end(body);
}

function tagged(res: ServerResponse<IncomingMessage>, headers: OutgoingHttpHeaders, body: string): void {
  const tag = headers["ETag"] = weakEntityTag(body);
  if (res.req.headers["if-none-match"] !== tag) return send(res, 200, headers, body);
  delete headers["Content-Type"];
  res.writeHead(304, headers).end();
}

async function taggedFile(res: ServerResponse<IncomingMessage>, path: string): Promise<void> {
  const { size, mtime } = await stat(path);
  const tag = fileEntityTag({ size, mtimeMs: mtime.getTime() });
  const headers: OutgoingHttpHeaders = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "public, max-age=0",
    "Last-Modified": mtime.toUTCString(),
    "ETag": tag,
  };
  if (res.req.headers["if-none-match"] === tag) return void res.writeHead(304, headers).end();
  const bytes = await readFile(path);
  headers["Content-Type"] = CSS_TYPE;
  headers["Content-Length"] = bytes.byteLength;
  res.writeHead(200, headers).end(bytes);
}

function bodyOf(req: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let text = "";
    req.setEncoding("utf8");
    req.on("data", (chunk: string) => text += chunk);
    req.on("end", () => resolve(JSON.parse(text)));
    req.on("error", reject);
  });
}

/** The hand-written service for uWebSockets.js. */
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import type { EngineRequest, EngineResponse } from "../../src/uws/engine.ts";
import type { Application } from "../service/scenarios.ts";
import { byHand, type Replies } from "./by_hand.ts";

/** A request. Values needed after the call are copied. */
interface Context {
  readonly res: EngineResponse;
  readonly authorization: string;
  readonly body: Promise<unknown> | null;
  isAborted: boolean;
}

/**
 * Creates the handler, which sends the fewest bytes.
 *
 * @param application The application
 * @param folder The static files' folder
 */
export function byHandUws(
  application: Application,
  folder: string,
): (res: EngineResponse, req: EngineRequest & { getHeader(name: string): string }) => void {
  const handler = byHand(application, replies(folder));
  return (res, req) => {
    const path = req.getUrl();
    const query = req.getQuery();
    const target = query ? `${path}?${query}` : path;
    const isPost = req.getCaseSensitiveMethod() === "POST";
    const authorization = path.startsWith("/account/") ? req.getHeader("authorization") : "";
    const context: Context = { res, authorization, body: isPost ? bodyOf(res) : null, isAborted: false };
    const result: unknown = handler(context, target);
    if (result instanceof Promise) res.onAborted(() => context.isAborted = true);
  };
}

function replies(folder: string): Replies<Context, void> {
  const json = "application/json";
  return {
    authorization: ({ authorization }) => authorization,
    body: ({ body }) => body!,
    text: (context, text) => send(context, "200 OK", "text/plain", text),
    json: (context, value) => send(context, "200 OK", json, JSON.stringify(value)),
    created: (context, value) => send(context, "201 Created", json, JSON.stringify(value)),
    toUser: (context, value, user) => send(context, "200 OK", json, JSON.stringify(value), user),
    file: async (context, name) => send(context, "200 OK", "text/css", await readFile(`${folder}/${name}`)),
    missing: (context) => send(context, "404 Not Found", "text/plain", "Not Found"),
  };
}

function send(context: Context, status: string, type: string, body: string | Uint8Array, user?: string): void {
  const { res } = context;
  if (context.isAborted) return;
  res.cork(() => {
    res.writeStatus(status);
    res.writeHeader("Content-Type", type);
    if (user !== undefined) res.writeHeader("X-User", user);
    res.end(body);
  });
}

function bodyOf(res: EngineResponse): Promise<unknown> {
  return new Promise((resolve) => {
    let text = "";
    res.onData((bytes, isLast) => {
      text += Buffer.from(bytes).toString();
      if (isLast) resolve(JSON.parse(text));
    });
  });
}

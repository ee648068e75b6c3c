/** Sends targets unchanged, which neither Node's client nor the `Request` constructor does. */
import { EventEmitter } from "node:events";

/** Elysia reads the path starting at a URL's twelfth character. */
const HOST = "host.example";

/** Sends a target and waits until the response ends. */
export type Send = (target: string) => Promise<void>;

/** Sends to a Node server's listener, as if its parser let everything through. */
export const onNode = (handle: (req: never, res: never) => unknown): Send => (target) =>
  new Promise((ended) => void handle(nodeRequest(target) as never, nodeResponse(ended) as never));

/** Sends web requests with unresolved URLs, as in srvx. */
export const onWeb = (handle: (request: Request) => Response | Promise<Response>): Send => async (target) => {
  const url = target.startsWith("/") ? `http://${HOST}${target}` : target;
  if (!/^https?:\/\/[a-z.]+[/?]/i.test(url)) return;
  const response = await handle(Object.defineProperty(new Request("http://h/"), "url", { value: url }));
  await response.body?.cancel();
};

/** Sends web requests as made by servers that resolve URLs: Deno, Bun, Workers. */
export const onResolvedWeb = (handle: (request: Request) => Response | Promise<Response>): Send => async (target) => {
  if (!target.startsWith("/") || !URL.canParse(`http://${HOST}${target}`)) return;
  const response = await handle(new Request(`http://${HOST}${target}`));
  await response.body?.cancel();
};

function nodeRequest(url: string) {
  const socket = { remoteAddress: "192.0.2.1", encrypted: false };
  return Object.assign(new EventEmitter(), {
    ...{ method: "GET", url, headers: { host: "h" }, socket, httpVersion: "1.1" },
    ...{ resume() {}, unpipe() {} },
  });
}

function nodeResponse(ended: () => void) {
  return Object.assign(new EventEmitter(), {
    ...{ statusCode: 200, headersSent: false, writableEnded: false, writable: true },
    ...{ setHeader() {}, getHeader() {}, removeHeader() {}, hasHeader: () => false, getHeaders: () => ({}) },
    ...{ getHeaderNames: () => [], writeHead() {}, write: () => true, end: ended, destroy: ended },
  });
}

import type { Response as Outgoing } from "@sluice/sluice";

/** Methods that throw or warn after a response was sent; the other methods are built on them. */
const SENDING = [
  ...["status", "setHeader", "appendHeader", "removeHeader", "writeHead"],
  ...["json", "jsonp", "redirect", "sendFile", "write", "end"],
] as const;

/**
 * Makes a response ignore anything sent from now on, as responses do after a client disconnects. Thrown in a callback,
 * the error about sent headers would be uncaught and crash the process.
 *
 * @param res A response that has ended, although a session may still hold it back to add its cookie
 */
export function ignoreLateSends(res: Outgoing): void {
  const replace = (name: string, ignore: (...args: unknown[]) => unknown): void => {
    const send = (res as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!;
    // A session that holds the response shows its headers as sent, except while it adds its own, or responds with its
    // error. Without a client, the response itself ignores everything, and what watches it sees its end.
    const value = (...args: unknown[]): unknown => res.headersSent ? ignore(...args) : send.apply(res, args);
    Object.defineProperty(res, name, { value, writable: true, configurable: true });
  };
  for (const name of SENDING) {
    replace(name, (...args) => {
      const done = args.at(-1);
      if (typeof done === "function") queueMicrotask(() => done());
      return res;
    });
  }
  replace("send", (body) => {
    discard(body);
    return res;
  });
  replace("respondWith", (returned) => discard((returned as Response).body));
}

// an unread stream would keep its file or connection open
function discard(body: unknown): void {
  // a locked stream cannot be cancelled, and belongs to its reader
  if (body instanceof ReadableStream) return void body.cancel().catch(() => {});
  const { pipe, destroy } = Object(body) as { pipe?: unknown; destroy?: unknown };
  if (typeof pipe === "function" && typeof destroy === "function") destroy.call(body);
}

import type { Response as Outgoing } from "@sluice/sluice";

/** Methods that throw or complain once a response was sent, and that the others are made of. */
const SENDING = [
  ...["status", "setHeader", "appendHeader", "removeHeader", "writeHead"],
  ...["json", "jsonp", "redirect", "sendFile", "write", "end"],
] as const;

/**
 * Has a response ignore whatever is sent from now on, as one does whose client is gone: in a callback, the error that the
 * headers have been sent would be caught by nobody, and end the process.
 *
 * @param res A response that is complete
 */
export function ignoreLateSends(res: Outgoing): void {
  const replace = (name: string, value: unknown): void =>
    void Object.defineProperty(res, name, { value, writable: true, configurable: true });
  for (const name of SENDING) {
    replace(name, (...args: unknown[]) => {
      const done = args.at(-1);
      if (typeof done === "function") queueMicrotask(() => done());
      return res;
    });
  }
  replace("send", (body: unknown) => {
    discard(body);
    return res;
  });
  replace("respondWith", (returned: Response) => discard(returned.body));
}

// a stream that nobody reads would keep its file or its connection open
function discard(body: unknown): void {
  // one that somebody else reads cannot be cancelled, and is not ours to
  if (body instanceof ReadableStream) return void body.cancel().catch(() => {});
  const { pipe, destroy } = Object(body) as { pipe?: unknown; destroy?: unknown };
  if (typeof pipe === "function" && typeof destroy === "function") destroy.call(body);
}

import { assertRejects } from "@std/assert";
import type { Ask } from "./case.ts";

/** Sends a request, and disconnects once the program has noticed it. */
export type Depart = (path: string, noticed: () => Promise<void>) => Promise<void>;

/** Disconnects as `fetch` does: closes the connection normally. */
export function byAborting(ask: Ask): Depart {
  return async (path, noticed) => {
    const controller = new AbortController();
    const waiting = ask(path, { signal: controller.signal });
    await noticed();
    controller.abort();
    await assertRejects(() => waiting);
  };
}

/** Disconnects with a reset. A runtime may mistake a normal close for a client that has only finished sending. */
export function byReset(origin: string): Depart {
  const { hostname, port } = new URL(origin);
  return async (path, noticed) => {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
    // closing a connection with an unread response resets it
    await connection.write(new TextEncoder().encode(ask("/") + ask(path)));
    await noticed();
  };
}

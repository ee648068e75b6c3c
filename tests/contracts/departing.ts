import { assertRejects } from "@std/assert";
import type { Ask } from "./case.ts";

/** Asks for something, and leaves once the program has taken notice. */
export type Depart = (path: string, noticed: () => Promise<void>) => Promise<void>;

/** Leaves as clients of `fetch` do: the connection is closed in good order. */
export function byAborting(ask: Ask): Depart {
  return async (path, noticed) => {
    const controller = new AbortController();
    const waiting = ask(path, { signal: controller.signal });
    await noticed();
    controller.abort();
    await assertRejects(() => waiting);
  };
}

/** Leaves by a reset. A runtime may take an orderly end for a client that only has no more to say. */
export function byReset(origin: string): Depart {
  const { hostname, port } = new URL(origin);
  return async (path, noticed) => {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
    // closing a connection with an unread answer on it resets it
    await connection.write(new TextEncoder().encode(ask("/") + ask(path)));
    await noticed();
  };
}

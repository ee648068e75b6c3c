import { createClient } from "redis";
import { PATIENCE_MS } from "../../../../tests/support/patience.ts";
import { RedisStore } from "../../../mod.ts";
import { startProxy } from "../tcp_proxy.ts";
import type { LateSubject } from "./late_run.ts";

/**
 * Redis, which decides by its own clock.
 *
 * @param url The server's URL
 */
export function lateRedis(url: string): LateSubject {
  const prefix = `late ${crypto.randomUUID()}`;
  return {
    name: "Redis",
    earlyMs: () => 0,
    async connect(wire) {
      const proxy = startProxy(Number(new URL(url).port || 6379), wire);
      const client = createClient({ url: proxy.url, socket: { connectTimeout: PATIENCE_MS } });
      await client.connect();
      const store = new RedisStore({ client, prefix });
      const close = async () => {
        await store.close();
        await client.close();
        await proxy[Symbol.asyncDispose]();
      };
      return { store, close };
    },
  };
}

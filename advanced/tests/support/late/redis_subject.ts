import { RedisStore } from "../../../mod.ts";
import { startProxy } from "../tcp_proxy.ts";
import type { LateSubject } from "./late_run.ts";

/**
 * A Redis, whose own time decides.
 *
 * @param url Where it is
 */
export function lateRedis(url: string): LateSubject {
  const prefix = `late ${crypto.randomUUID()}`;
  return {
    name: "Redis",
    earlyMs: () => 0,
    connect(wire) {
      const proxy = startProxy(Number(new URL(url).port || 6379), wire);
      const store = new RedisStore({ url: proxy.url, prefix });
      const close = async () => {
        await store.close();
        await proxy[Symbol.asyncDispose]();
      };
      return { store, close };
    },
  };
}

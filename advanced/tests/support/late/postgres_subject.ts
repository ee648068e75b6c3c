import pg from "pg";
import { PostgresStore } from "../../../postgres.ts";
import { startProxy } from "../tcp_proxy.ts";
import type { LateSubject } from "./late_run.ts";

/**
 * PostgreSQL, which decides by its own clock.
 *
 * @param url The database's URL
 */
export function latePostgres(url: string): LateSubject {
  const table = `late_${crypto.randomUUID().replaceAll("-", "")}`;
  return {
    name: "PostgreSQL",
    earlyMs: () => 0,
    connect(wire) {
      const address = new URL(url);
      const proxy = startProxy(Number(address.port || 5432), wire);
      address.port = String(proxy.port);
      const client = new pg.Pool({ connectionString: address.href, max: 1 });
      const store = new PostgresStore({ client, table, attempts: 1000 });
      const close = async () => {
        await client.end();
        await proxy[Symbol.asyncDispose]();
      };
      return { store, close };
    },
  };
}

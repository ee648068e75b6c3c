import { startServer } from "../tests/support/redis_servers.ts";
import { programNamed } from "./apt.ts";
import { testServer } from "./test_server.ts";

/** A redis-server for the tests. */
export interface TestRedis {
  /** Its URL. */
  readonly url: string;
  /** Stops it. */
  stop(): Promise<void>;
}

/**
 * Finds or installs redis-server and starts one on a free port on this machine.
 *
 * @returns The server, or why there is none
 */
export function startRedis(): Promise<TestRedis | string> {
  return testServer<string, TestRedis>({
    variable: "REDIS_URL",
    given: (url) => ({ url, stop: () => Promise.resolve() }),
    find: () => programNamed("redis-server"),
    debianPackage: "redis-server",
    start: () => startServer(),
  });
}

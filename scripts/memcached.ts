import { startMemcached, type TestMemcached } from "../tests/support/memcached_server.ts";
import { programNamed } from "./apt.ts";
import { testServer } from "./test_server.ts";

/**
 * Finds or installs Memcached and starts a server on a free port on this machine.
 *
 * @returns The server, or why there is none
 */
export function startTestMemcached(): Promise<TestMemcached | string> {
  return testServer<string, TestMemcached>({
    variable: "MEMCACHED_ADDRESS",
    given: (address) => ({ address, stop: () => Promise.resolve() }),
    find: () => programNamed("memcached"),
    debianPackage: "memcached",
    start: () => startMemcached(),
  });
}

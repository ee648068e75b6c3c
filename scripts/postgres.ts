import { postgresPrograms, startPostgres, type TestPostgres } from "../tests/support/postgres_server.ts";
import { testServer } from "./test_server.ts";

/**
 * Finds or installs PostgreSQL and starts a server on a free port on this machine.
 *
 * @returns The server, or why there is none
 */
export function startTestPostgres(): Promise<TestPostgres | string> {
  return testServer<string, TestPostgres>({
    variable: "POSTGRES_URL",
    given: (url) => ({ url, stop: () => Promise.resolve() }),
    find: postgresPrograms,
    debianPackage: "postgresql",
    start: startPostgres,
  });
}

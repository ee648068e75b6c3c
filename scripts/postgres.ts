import { postgresPrograms, startPostgres, type TestPostgres } from "../tests/support/postgres_server.ts";
import { aptInstall } from "./apt.ts";

/**
 * Finds or installs PostgreSQL and starts a server on a free port of this machine.
 *
 * @returns The server, or why there is none
 */
export async function startTestPostgres(): Promise<TestPostgres | string> {
  const given = Deno.env.get("POSTGRES_URL");
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() };
  let programs = await postgresPrograms();
  if (programs === undefined && await aptInstall(["postgresql"], 300_000)) programs = await postgresPrograms();
  if (programs === undefined) return "not installed, and apt-get could not install it";
  try {
    return await startPostgres(programs);
  } catch (error) {
    return `it did not start: ${error instanceof Error ? error.message : error}`;
  }
}

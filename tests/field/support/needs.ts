/** What must run beside some suites. */
import { run } from "../../../scripts/process.ts";
import type { Suite } from "./suite.ts";

const DATABASE = "sluice_field";

/**
 * The variables of a suite. Those that need PostgreSQL get a new database, whose address stands where they have
 * `<database>`.
 *
 * @param suite The suite
 * @throws {Error} If there is no PostgreSQL, with PostGIS, where `FIELD_POSTGRES` says
 */
export async function variablesOf({ name, needs = [], env = {} }: Suite): Promise<Record<string, string>> {
  if (!needs.includes("PostgreSQL")) return { ...env };
  const server = Deno.env.get("FIELD_POSTGRES");
  if (server === undefined) {
    throw new Error(`${name} needs PostgreSQL: set FIELD_POSTGRES, as in postgres://postgres:password@127.0.0.1:5432`);
  }
  await sql(`${server}/postgres`, `DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  await sql(`${server}/postgres`, `CREATE DATABASE ${DATABASE}`);
  await sql(`${server}/${DATABASE}`, "CREATE EXTENSION postgis");
  const address = (value: string) => value.replace("<database>", `${server}/${DATABASE}`);
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, address(value)]));
}

async function sql(database: string, statement: string): Promise<void> {
  const { code, output } = await run("psql", [database, "-c", statement], { limitMs: 60_000, quiet: true });
  if (code !== 0) throw new Error(`psql, ${statement}: ${output}`);
}

/** Services that some suites need. */
import { startTestPostgres } from "../../../scripts/postgres.ts";
import { run } from "../../../scripts/process.ts";
import type { Suite } from "./suite.ts";

const DATABASE = "sluice_field";

/** A suite's running services. `await using` stops them. */
export interface Needs extends AsyncDisposable {
  /** Environment variables for the suite. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts a suite's services. Suites that need PostgreSQL get a new database at the address in `FIELD_POSTGRES`, or on a
 * separate server. Its address replaces `<database>` in their variables.
 *
 * @param suite The suite
 * @throws {Error} If PostgreSQL is missing, or PostGIS in it
 */
export async function needsOf({ name, needs = [], env = {} }: Suite): Promise<Needs> {
  if (needs.length === 0) return { env, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { server, stop } = await postgres(name);
  await sql(`${server}/postgres`, `DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  await sql(`${server}/postgres`, `CREATE DATABASE ${DATABASE}`);
  if (needs.includes("PostGIS")) await sql(`${server}/${DATABASE}`, "CREATE EXTENSION postgis");
  const address = (value: string) => value.replace("<database>", `${server}/${DATABASE}`);
  return {
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, address(value)])),
    [Symbol.asyncDispose]: stop,
  };
}

async function postgres(name: string): Promise<{ server: string; stop: () => Promise<void> }> {
  const given = Deno.env.get("FIELD_POSTGRES");
  if (given !== undefined) return { server: given, stop: () => Promise.resolve() };
  const started = await startTestPostgres();
  if (typeof started === "string") {
    throw new Error(`${name} needs PostgreSQL (${started}): install it, or set FIELD_POSTGRES to a server's address`);
  }
  return { server: started.url.replace(/\/postgres$/, ""), stop: started.stop };
}

async function sql(database: string, statement: string): Promise<void> {
  const { code, output } = await run("psql", [database, "-c", statement], { limitMs: 60_000, quiet: true });
  if (code !== 0) throw new Error(`psql, ${statement}: ${output}`);
}

/** A PostgreSQL server that the tests start themselves. */
import { run } from "../../scripts/process.ts";
import { PATIENCE_MS } from "./patience.ts";
import { freePort } from "./free_port.ts";
import { until } from "./until.ts";

/** Where Debian and Ubuntu keep the programs, in a folder for each version. */
const VERSIONS = "/usr/lib/postgresql";

/**
 * Finds the programs of the newest PostgreSQL of this machine.
 *
 * @returns Their folder, `undefined` if there is none
 */
export async function postgresPrograms(): Promise<string | undefined> {
  try {
    const versions = [];
    for await (const { name } of Deno.readDir(VERSIONS)) versions.push(Number(name));
    const newest = Math.max(...versions.filter((version) => version > 0));
    const folder = `${VERSIONS}/${newest}/bin`;
    await Deno.stat(`${folder}/initdb`);
    return folder;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** A server without users and passwords, on 127.0.0.1, in a folder of its own. */
export interface TestPostgres {
  /** Where it listens. */
  readonly url: string;
  /** Stops it, and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it accepts connections.
 *
 * @param programs Folder of the programs
 * @returns The server
 */
export async function startPostgres(programs: string): Promise<TestPostgres> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-postgres-" });
  const data = `${folder}/data`;
  const user: string[] = [];
  if (Deno.uid() === 0) {
    // it refuses to run as root; its package has made a user
    user.push("--reuid=postgres", "--regid=postgres", "--clear-groups");
    await inTime("chown", ["postgres:postgres", folder]);
  }
  await inTime("setpriv", [
    ...[...user, `${programs}/initdb`, "--pgdata", data, "--username=postgres", "--auth=trust", "--no-sync"],
    ...["--encoding=UTF8", "--locale=C"],
  ]);
  const port = freePort();
  // setpriv becomes the server, which then ends with this process, however that ends
  const child = new Deno.Command("setpriv", {
    args: [
      ...[...user, "--pdeathsig", "INT", `${programs}/postgres`, "-D", data, "-p", String(port), "-k", folder],
      ...["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=50"],
    ],
    cwd: folder,
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const stop = async () => {
    // it waits for connections that are being closed, and, after a while, ends the others
    if (!ended) child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGINT"), 2000);
    await status;
    clearTimeout(timer);
    await Deno.remove(folder, { recursive: true });
  };
  try {
    const asked = ["-h", "127.0.0.1", "-p", String(port), "-q"];
    await until(
      async () => ended || (await run(`${programs}/pg_isready`, asked, { limitMs: 5000, quiet: true })).code === 0,
      `an answer of PostgreSQL on port ${port}`,
    );
    if (ended) throw new Error(`postgres ended at once on port ${port}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}

async function inTime(program: string, args: string[]): Promise<void> {
  const { code, output } = await run(program, args, { limitMs: PATIENCE_MS, quiet: true });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: code ${code}, ${output.trim()}`);
}

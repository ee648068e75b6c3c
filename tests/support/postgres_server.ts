/** A PostgreSQL server that the tests start themselves. */
import { run } from "../../scripts/process.ts";
import { PATIENCE_MS } from "./patience.ts";
import { freePort } from "./free_port.ts";
import { startServerProcess } from "./server_process.ts";

/** Where Debian and Ubuntu install the programs, in one folder per version. */
const VERSIONS = "/usr/lib/postgresql";

/**
 * Finds the newest PostgreSQL's programs on this machine.
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

/** A server without users and passwords, on 127.0.0.1, in a temporary folder. */
export interface TestPostgres {
  /** Its URL. */
  readonly url: string;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/** A server that can be restarted with its data. */
export interface OwnPostgres extends TestPostgres {
  /** Ends it and its connections, like a restart by an administrator. */
  halt(): Promise<void>;
  /** Starts it again, on the same port. */
  restart(): Promise<void>;
}

/**
 * Starts a server and waits until it accepts connections.
 *
 * @param programs The programs' folder
 * @returns The server
 */
export async function startPostgres(programs: string): Promise<OwnPostgres> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-postgres-" });
  const data = `${folder}/data`;
  const user: string[] = [];
  if (Deno.uid() === 0) {
    // it refuses to run as root; its package has created a user
    user.push("--reuid=postgres", "--regid=postgres", "--clear-groups");
    await inTime("chown", ["postgres:postgres", folder]);
  }
  await inTime("setpriv", [
    ...[...user, `${programs}/initdb`, "--pgdata", data, "--username=postgres", "--auth=trust", "--no-sync"],
    ...["--encoding=UTF8", "--locale=C"],
  ]);
  const port = freePort();
  const asked = ["-h", "127.0.0.1", "-p", String(port), "-q"];
  const removed = () => Deno.remove(folder, { recursive: true });
  const start = () =>
    startServerProcess({
      name: `PostgreSQL on port ${port}`,
      setpriv: [...user, "--pdeathsig", "INT"],
      command: [
        ...[`${programs}/postgres`, "-D", data, "-p", String(port), "-k", folder],
        ...["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=50"],
      ],
      cwd: folder,
      answers: async () => (await run(`${programs}/pg_isready`, asked, { limitMs: 5000, quiet: true })).code === 0,
    });
  try {
    let server = await start();
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      halt: () => server.end("SIGINT"),
      restart: async () => void (server = await start()),
      async stop() {
        // it waits for closing connections, and ends other connections after a while
        await server.end("SIGTERM", "SIGINT");
        await removed();
      },
    };
  } catch (error) {
    await removed();
    throw error;
  }
}

async function inTime(program: string, args: string[]): Promise<void> {
  const { code, output } = await run(program, args, { limitMs: PATIENCE_MS, quiet: true });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: code ${code}, ${output.trim()}`);
}

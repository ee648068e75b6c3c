/**
 * Every documented program that uses Redis or PostgreSQL survives a restart of its database, and then uses it again.
 * The programs run unchanged, except for the address of the database and the lines that end them. Added code serves
 * requests that use the database.
 */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { bundled } from "../contracts/bundled.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { postgresPrograms, startPostgres } from "../support/postgres_server.ts";
import { type Program, startProgram } from "../support/program.ts";
import { type RedisServer, startServer } from "../support/redis_servers.ts";
import { until } from "../support/until.ts";
import { type DocumentedProgram, documentedPrograms, servedProgram } from "./support/documented_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const PROGRAMS = ".cache/restarts/";

const documented = await documentedPrograms();

Deno.test("programs with Redis and with PostgreSQL are found, of every use", () => {
  const uses = Map.groupBy(documented, ({ use }) => use);
  assertEquals([...uses.keys()].sort(), ["events", "limited app", "limiters", "sessions", "topics"]);
  assert(documented.length >= 15, `only ${documented.map(({ name }) => name)}`);
});

/** A running program and its output. */
class RunningProgram {
  readonly name: string;
  readonly #documented: DocumentedProgram;
  readonly #program: Program;
  readonly #redis: RedisServer;
  /** Its own Redis database. */
  readonly #database: number;
  readonly #leaving = new AbortController();
  #events = "";
  #isFollowed = false;

  constructor(documented: DocumentedProgram, program: Program, redis: RedisServer, database: number) {
    this.name = documented.name;
    this.#documented = documented;
    this.#program = program;
    this.#redis = redis;
    this.#database = database;
  }

  /**
   * Waits until it has used its database; its process must survive.
   *
   * @param when For errors, and for messages, which may be lost while a connection is established
   */
  async uses(when: string): Promise<void> {
    const { use } = this.#documented;
    // the database stops with the program
    if (use === "events" && !this.#isFollowed) this.#follow().catch(() => undefined);
    await this.#until(async () => {
      if (use === "topics") {
        await this.#redis.cli("PUBLISH", "sluice:probe", when);
        return (await this.#get("/use")).includes(when);
      }
      if (use === "events") {
        const body = JSON.stringify({ when });
        const headers = { "content-type": "application/json" };
        const response = await fetch(this.#at("/news"), {
          method: "POST",
          body,
          headers,
          signal: this.#leaving.signal,
        });
        await response.body?.cancel();
        return this.#events.includes(when);
      }
      const isOk = (await this.#respond(this.#documented.path)).ok;
      // this limiter also decides without its store
      return isOk && (use !== "limited app" || await this.#redis.cli("-n", String(this.#database), "DBSIZE") !== "0");
    }, `uses its database ${when}`);
  }

  /**
   * Asserts that its process survives while its database is down.
   *
   * @param fails Whether to use the database: the program may fail or wait, depending on its client
   */
  async lives(fails: boolean): Promise<void> {
    if (fails && this.#documented.use !== "events") void this.#respond(this.#documented.path).catch(() => undefined);
    await this.#until(() => Promise.resolve(true), "lives without its database");
  }

  async stop(): Promise<void> {
    this.#leaving.abort();
    await this.#program.stop();
  }

  // not awaited: Bun sends the head of a response with the first chunk of its body
  async #follow(): Promise<void> {
    this.#isFollowed = true;
    const { body } = await fetch(this.#at("/news"), { signal: this.#leaving.signal });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#events += value;
    }
  }

  async #until(holds: () => Promise<boolean>, what: string): Promise<void> {
    let death: unknown;
    await until(async () => {
      await this.#get("/alive").catch((error) => death = error);
      return death !== undefined || await holds();
    }, what);
    if (death === undefined) return;
    const [error] = (await this.#program.stop()).match(/^.*\b\w*error\b.*$/im) ?? [death];
    throw new Error(`${what}: its process has ended: ${error}`);
  }

  async #get(path: string): Promise<string> {
    return await (await this.#respond(path, true)).text();
  }

  async #respond(path: string, isRead = false): Promise<Response> {
    const response = await fetch(this.#at(path), { signal: this.#leaving.signal });
    if (!isRead) await response.body?.cancel();
    return response;
  }

  #at(path: string): string {
    return `http://127.0.0.1:${this.#program.line}${path}`;
  }
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test({
    name: `on ${name}, documented programs live through a restart of their database, and use it again`,
    ignore,
    async fn() {
      const found = await postgresPrograms();
      assert(found !== undefined, "PostgreSQL is not installed");
      const postgres = await startPostgres(found);
      await using redis = await startServer({ args: ["--databases", String(documented.length)] });
      const running: RunningProgram[] = [];
      try {
        const addressOf = (i: number) => ({ redis: `${redis.url}/${i}`, postgres: postgres.url });
        await writePrograms(documented.map((one, i) => servedProgram(one, addressOf(i))));
        const [executable, ...args] = await command(`${PROGRAMS}all.ts`);
        if (name !== "Deno") args.push(await besidePackages(args.pop()!));
        for (const [i, one] of documented.entries()) {
          const options = { cwd: fileURLToPath(ROOT), env: { NODE_ENV: "production", PROGRAM: String(i) } };
          running.push(new RunningProgram(one, await startProgram(executable, args, options), redis, i));
        }
        const failed: string[] = [];
        const all = (step: (program: RunningProgram) => Promise<void>) =>
          Promise.all(
            running.map((program) =>
              step(program).catch(({ message }) => void failed.push(`${program.name}: ${message}`))
            ),
          );
        // a program that has used nothing may not have any listeners yet
        for (const fails of [false, true]) {
          await Promise.all([redis.kill(), postgres.halt()]);
          await all((program) => program.lives(fails));
          await Promise.all([redis.restart(), postgres.restart()]);
          await all((program) => program.uses(fails ? "after the second restart" : "after the first restart"));
        }
        assertEquals(failed, []);
      } finally {
        for (const program of running) await program.stop();
        await postgres.stop();
      }
    },
  });
}

/** Writes the programs, and an entry that loads one by its number in the environment, so one bundle is enough. */
async function writePrograms(programs: readonly string[]): Promise<void> {
  const folder = new URL(PROGRAMS, ROOT);
  await Deno.mkdir(folder, { recursive: true });
  const cases = programs.map((_, i) => `  () => import("./${i}.ts"),\n`);
  const all = `import process from "node:process";\nconst programs = [\n${cases.join("")}];\n` +
    "await programs[Number(process.env.PROGRAM)]();\n";
  for (const [i, program] of programs.entries()) await Deno.writeTextFile(new URL(`${i}.ts`, folder), program);
  await Deno.writeTextFile(new URL("all.ts", folder), all);
}

/** Puts a bundle where it finds the package that a store with `url` imports; bundlers omit that package. */
async function besidePackages(bundle: string): Promise<string> {
  const folder = new URL(PROGRAMS, ROOT);
  const redis = new URL("node_modules/redis/", folder);
  await Deno.mkdir(redis, { recursive: true });
  await Deno.writeTextFile(new URL("redis.ts", folder), 'export { createClient } from "redis";\n');
  await Deno.copyFile(await bundled(`${PROGRAMS}redis.ts`, "deno"), new URL("index.mjs", redis));
  await Deno.writeTextFile(new URL("package.json", redis), '{ "name": "redis", "exports": "./index.mjs" }\n');
  const placed = fileURLToPath(new URL("all.mjs", folder));
  await Deno.copyFile(bundle, placed);
  return placed;
}

/** Decisions per second in SQLite and PostgreSQL, next to a hand-written counter. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { Limiter, type Store } from "../../advanced/mod.ts";
import { PostgresStore } from "../../advanced/postgres.ts";
import { SqliteStore } from "../../advanced/sqlite.ts";
import { startTestPostgres } from "../../scripts/postgres.ts";
import { median, printTable, ratio } from "../support/table.ts";
import { ipv4Keys, randomWalk } from "./keys.ts";
import { LIMIT } from "./peers.ts";

const CALLERS = 16;
const CONNECTIONS = 8;
const SECONDS = 1;
const WINDOW_MS = 600_000;
const POLICY = { name: "bench", algorithm: "fixed-window", limit: LIMIT, windowMs: WINDOW_MS } as const;
const RAW = "INSERT … ON CONFLICT";

/** Makes a decision for a key. */
type Decide = (key: string) => unknown;

/**
 * Compares the stores with a single-statement counter, which neither returns the remaining units nor refuses for free.
 */
export async function sql(rounds: number): Promise<void> {
  await sqlite(rounds);
  await postgres(rounds);
}

async function sqlite(rounds: number): Promise<void> {
  const folder = await Deno.makeTempDir();
  const open = (name: string) => {
    const database = new DatabaseSync(`${folder}/${name}`);
    database.exec("PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    return database;
  };
  const raw = open("raw");
  raw.exec("CREATE TABLE hits (key TEXT PRIMARY KEY, n INTEGER NOT NULL, ends INTEGER NOT NULL)");
  const upsert = raw.prepare(
    `INSERT INTO hits VALUES (?1, 1, ?2 + ${WINDOW_MS}) ON CONFLICT DO UPDATE SET
      n = CASE WHEN ends <= ?2 THEN 1 ELSE n + 1 END, ends = CASE WHEN ends <= ?2 THEN excluded.ends ELSE ends END
      RETURNING n, ends`,
  );
  try {
    const about = "A file with a write-ahead log, one caller, 1000 keys.";
    const contestants = new Map([[RAW, (key: string) => upsert.get(key, Date.now())]]);
    const close = addStores(contestants, "SqliteStore", (name) => new SqliteStore({ database: open(name) }));
    await compare("SQLite", about, contestants, 1, rounds);
    await close();
    raw.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function postgres(rounds: number): Promise<void> {
  const server = await startTestPostgres();
  if (typeof server === "string") return console.log(`\n### PostgreSQL\n\nleft out: ${server}`);
  const client = new pg.Pool({ connectionString: server.url, max: CONNECTIONS });
  try {
    await client.query(
      "CREATE UNLOGGED TABLE hits (key text PRIMARY KEY, n bigint NOT NULL, ends timestamptz NOT NULL)",
    );
    const ends = `clock_timestamp() + interval '${WINDOW_MS} ms'`;
    const raw = (key: string) =>
      client.query(
        `INSERT INTO hits AS h VALUES ($1, 1, ${ends}) ON CONFLICT (key) DO UPDATE SET
          n = CASE WHEN h.ends <= clock_timestamp() THEN 1 ELSE h.n + 1 END,
          ends = CASE WHEN h.ends <= clock_timestamp() THEN excluded.ends ELSE h.ends END
          RETURNING n, ends`,
        [key],
      );
    const about = `${CALLERS} callers on a pool of pg with ${CONNECTIONS} connections, 1000 keys, tables not logged.`;
    const contestants = new Map<string, Decide>([[RAW, raw]]);
    const close = addStores(contestants, "PostgresStore", (table) => new PostgresStore({ client, table }));
    const names = new Map<string, string>();
    const prepared = {
      query: (text: string, values: string[]) => {
        let name = names.get(text);
        if (name === undefined) names.set(text, name = `sluice_${names.size}`);
        return client.query({ name, text, values });
      },
    };
    const fast = new PostgresStore({ client: prepared, table: "prepared" });
    contestants.set("PostgresStore, prepared statements", (key) => fast.decide([{ policy: POLICY, key, cost: 1 }]));
    await compare("PostgreSQL", about, contestants, CALLERS, rounds);
    await close();
    await client.query("DROP TABLE hits");
  } finally {
    await client.end();
    await server.stop();
  }
}

/** Adds a plain store, a store that refuses, and a limiter with its defaults; returns a function that closes them. */
function addStores(to: Map<string, Decide>, name: string, make: (name: string) => Store): () => Promise<unknown> {
  const [grants, refuses, limited] = ["grants", "refuses", "limited"].map(make) as [Store, Store, Store];
  const full = { ...POLICY, limit: 1 };
  const limiter = new Limiter({ store: limited, algorithm: "fixed-window", limit: LIMIT, windowMs: WINDOW_MS });
  to.set(`${name}`, (key) => grants.decide([{ policy: POLICY, key, cost: 1 }]));
  to.set(`${name}, refusals`, (key) => refuses.decide([{ policy: full, key, cost: 1 }]));
  to.set("Limiter, defaults", (key) => limiter.consume(key));
  return () => Promise.all([grants.close?.(), refuses.close?.(), limiter.close()]);
}

async function compare(
  title: string,
  about: string,
  contestants: ReadonlyMap<string, Decide>,
  callers: number,
  rounds: number,
): Promise<void> {
  const rates = new Map<string, number[]>([...contestants.keys()].map((name) => [name, []]));
  // the first round is not counted
  for (let round = -1; round < Math.ceil(rounds / 2); round++) {
    for (const [name, decide] of contestants) {
      const rate = await decisionsPerSecond(decide, callers);
      if (round >= 0) rates.get(name)!.push(rate);
    }
  }
  const rows = [...rates.keys()].map((name) => [name, median(rates.get(name)!).toFixed(0), ratio(rates, name, RAW)]);
  printTable(title, about, ["contestant", "a second", "ratio"], rows);
}

async function decisionsPerSecond(decide: Decide, callers: number): Promise<number> {
  const keys = ipv4Keys(1000);
  const walk = randomWalk(keys.length, 100_000);
  let decisions = 0;
  const begin = performance.now();
  const end = begin + SECONDS * 1000;
  await Promise.all(Array.from({ length: callers }, async () => {
    while (performance.now() < end) await decide(keys[walk[decisions++ % walk.length]!]!);
  }));
  return decisions / ((performance.now() - begin) / 1000);
}

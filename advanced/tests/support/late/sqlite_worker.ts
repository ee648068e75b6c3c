/** A process with a connection to an SQLite file, whose statements take a few ms. */
/// <reference lib="webworker" />
import { DatabaseSync } from "node:sqlite";
import { type SqliteDatabase, SqliteStore, type SqliteValue } from "../../../sqlite.ts";
import type { Take } from "../../../mod.ts";

/** A command for the worker. */
interface Order {
  readonly path: string;
  readonly takes: readonly Take[];
  readonly times: number;
  readonly lateMs: number;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
let lateMs = 0;
let store: SqliteStore | undefined;

function late<T>(run: () => T): T {
  if (lateMs > 0) Atomics.wait(sleeper, 0, 0, Math.random() * lateMs);
  return run();
}

function connect(path: string): SqliteStore {
  const real = new DatabaseSync(path);
  real.exec("PRAGMA busy_timeout = 60000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  const database: SqliteDatabase = {
    exec: (sql) => real.exec(sql),
    prepare(sql) {
      const statement = real.prepare(sql);
      return {
        get: (...values: SqliteValue[]) => late(() => statement.get(...values)),
        all: (...values: SqliteValue[]) => late(() => statement.all(...values)),
        run: (...values: SqliteValue[]) => late(() => statement.run(...values)),
      };
    },
    close: () => real.close(),
  };
  return new SqliteStore({ database });
}

self.onmessage = ({ data }: MessageEvent<Order>) => {
  store ??= connect(data.path);
  lateMs = data.lateMs;
  if (data.takes.length === 0) store.warm();
  self.postMessage(data.takes.length === 0 ? [] : store.decide(data.takes, data.times));
};

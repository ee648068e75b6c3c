import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** Users, with password hashes: reading the database does not allow logging in. */
export class Users {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec("CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, salt BLOB NOT NULL, hash BLOB NOT NULL)");
  }

  /** Returns whether the user was added: each name is used once. */
  async add(name: string, password: string): Promise<boolean> {
    const salt = randomBytes(16);
    const hash = await hashOf(password, salt);
    const added = this.#db.prepare("INSERT OR IGNORE INTO users (name, salt, hash) VALUES (?, ?, ?)");
    return added.run(name, salt, hash).changes === 1;
  }

  async has(name: string, password: string): Promise<boolean> {
    const found = this.#db.prepare("SELECT salt, hash FROM users WHERE name = ?").get(name);
    const row = found as { salt: Uint8Array; hash: Uint8Array } | undefined;
    // an unknown name takes as long, so that timing does not reveal which names exist
    const { salt, hash } = row ?? { salt: new Uint8Array(16), hash: new Uint8Array(32) };
    return timingSafeEqual(await hashOf(password, salt), hash) && row !== undefined;
  }
}

function hashOf(password: string, salt: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, (error, hash) => error ? reject(error) : resolve(hash));
  });
}

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** People, with what their passwords are made into: whoever reads the database cannot log in. */
export class Users {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec("CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, salt BLOB NOT NULL, hash BLOB NOT NULL)");
  }

  /** Whether they were added: a name is given once. */
  async add(name: string, password: string): Promise<boolean> {
    const salt = randomBytes(16);
    const hash = await hashOf(password, salt);
    const added = this.#db.prepare("INSERT OR IGNORE INTO users (name, salt, hash) VALUES (?, ?, ?)");
    return added.run(name, salt, hash).changes === 1;
  }

  async has(name: string, password: string): Promise<boolean> {
    const found = this.#db.prepare("SELECT salt, hash FROM users WHERE name = ?").get(name);
    const row = found as { salt: Uint8Array; hash: Uint8Array } | undefined;
    // a name that nobody has takes as long, so that nobody can find out which there are
    const { salt, hash } = row ?? { salt: new Uint8Array(16), hash: new Uint8Array(32) };
    return timingSafeEqual(await hashOf(password, salt), hash) && row !== undefined;
  }
}

function hashOf(password: string, salt: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, (error, hash) => error ? reject(error) : resolve(hash));
  });
}

import type { DatabaseSync } from "node:sqlite";

export interface Link {
  code: string;
  url: string;
  visits: number;
}

/** Links, each with the name of its owner. */
export class Links {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec(
      `CREATE TABLE IF NOT EXISTS links
       (code TEXT PRIMARY KEY, url TEXT NOT NULL, owner TEXT NOT NULL, visits INTEGER NOT NULL DEFAULT 0)`,
    );
  }

  /** Returns whether it was added: each code is used once. */
  add(code: string, url: string, owner: string): boolean {
    const added = this.#db.prepare("INSERT OR IGNORE INTO links (code, url, owner) VALUES (?, ?, ?)");
    return added.run(code, url, owner).changes === 1;
  }

  /** Returns the link, and counts the visit. */
  visit(code: string): Link | undefined {
    const counted = this.#db.prepare("UPDATE links SET visits = visits + 1 WHERE code = ? RETURNING code, url, visits");
    return counted.get(code) as Link | undefined;
  }

  /** Returns a link if it belongs to the owner. */
  find(code: string, owner: string): Link | undefined {
    const found = this.#db.prepare("SELECT code, url, visits FROM links WHERE code = ? AND owner = ?");
    return found.get(code, owner) as Link | undefined;
  }

  of(owner: string): Link[] {
    const found = this.#db.prepare("SELECT code, url, visits FROM links WHERE owner = ? ORDER BY code");
    return found.all(owner) as unknown as Link[];
  }
}

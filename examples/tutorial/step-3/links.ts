import { DatabaseSync } from "node:sqlite";

export interface Link {
  code: string;
  url: string;
  visits: number;
}

/** Links in a database: a file, or `:memory:` for tests. */
export class Links {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(
      "CREATE TABLE IF NOT EXISTS links (code TEXT PRIMARY KEY, url TEXT NOT NULL, visits INTEGER NOT NULL DEFAULT 0)",
    );
  }

  /** Returns whether it was added: each code is used once. */
  add(code: string, url: string): boolean {
    const { changes } = this.#db.prepare("INSERT OR IGNORE INTO links (code, url) VALUES (?, ?)").run(code, url);
    return changes === 1;
  }

  /** Returns the link, and counts the visit. */
  visit(code: string): Link | undefined {
    const counted = this.#db.prepare("UPDATE links SET visits = visits + 1 WHERE code = ? RETURNING code, url, visits");
    return counted.get(code) as Link | undefined;
  }

  find(code: string): Link | undefined {
    return this.#db.prepare("SELECT code, url, visits FROM links WHERE code = ?").get(code) as Link | undefined;
  }

  close(): void {
    this.#db.close();
  }
}

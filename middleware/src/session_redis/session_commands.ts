/** The commands that sessions need, independent of the client. */
export interface SessionCommands {
  /** `GET`. */
  get(key: string): Promise<unknown>;
  /** `SET` with `PX`. */
  set(key: string, content: string, ttlMs: number): Promise<unknown>;
  /** `SET` with `PX` and `XX`; replies `null` if the key does not exist. */
  replace(key: string, content: string, ttlMs: number): Promise<unknown>;
  /** `DEL`. */
  del(key: string): Promise<unknown>;
  /** `PEXPIRE`; replies with 1 if the key exists. */
  expire(key: string, ttlMs: number): Promise<unknown>;
}

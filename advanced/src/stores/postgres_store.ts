import { checkNames, checkType, guardClient, type OptionNames, refuseOption } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import { checkLog } from "./check_log.ts";
import { CompareAndSetStore } from "./compare_and_set_store.ts";
import { type PostgresQuery, PostgresRows } from "./postgres_rows.ts";
import type { PostgresValue } from "./postgres_commit.ts";
import { tableOf } from "./table_of.ts";
import type { Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";

/** A client with `query`: `Pool` or `Client` from `npm:pg`, `PGlite`, or your own object. */
export interface PostgresQueryClient {
  /** Runs one statement, and resolves to its rows, or to an object that contains them. */
  query(text: string, values: PostgresValue[]): PromiseLike<{ readonly rows: readonly unknown[] } | readonly unknown[]>;
}

/** A client with `unsafe`: `npm:postgres`. */
export interface PostgresUnsafeClient {
  /** Runs one statement, and resolves to its rows. */
  unsafe(text: string, values: PostgresValue[]): PromiseLike<readonly unknown[]>;
}

/** Any client that a {@linkcode PostgresStore} accepts. */
export type PostgresClient = PostgresQueryClient | PostgresUnsafeClient;

/**
 * Options for a {@linkcode PostgresStore}.
 *
 * @example Set the table name
 * ```ts ignore
 * import { Pool } from "pg";
 * import { PostgresStore } from "@sluice/rate-limit/postgres";
 *
 * const store = new PostgresStore({ client: new Pool(), table: "login_limits" });
 * ```
 */
export interface PostgresStoreOptions {
  /**
   * Sends the statements. You connect and close it yourself. Until the store is closed, it logs `error` events from a
   * `Pool` or `Client`, unless the program listens for them.
   */
  client: PostgresClient;
  /** Prefix for the table name, `"sluice_rate_limit"` by default. */
  table?: string | undefined;
  /** How often to try a decision that loses to other processes, 30 by default. */
  attempts?: number | undefined;
  /** Current time in ms; for tests. The server's by default. */
  clock?: (() => number) | undefined;
}

const NAMES: OptionNames<PostgresStoreOptions> = { client: true, table: true, attempts: true, clock: true };

/**
 * A store on PostgreSQL 12 or later. Supports all algorithms and atomic batches, and uses the server's clock.
 *
 * A grant is one statement. It is decided on the rows that this process saw last, and written if they have not changed
 * and it is not late. Otherwise the statement returns the current rows, and the grant is decided again on those. A
 * refusal or a peek is also one statement, a read. A limiter's decisions in one event loop turn share statements,
 * whatever their keys. No transaction spans several statements, so any pool works, including PgBouncer.
 *
 * The store creates its table on first use. The table is unlogged: a server crash loses its counts. Later decisions
 * remove expired rows, up to 1000 with every hundredth commit.
 *
 * @example Share counters between all processes
 * ```ts ignore
 * import { Pool } from "pg";
 * import { Limiter } from "@sluice/rate-limit";
 * import { PostgresStore } from "@sluice/rate-limit/postgres";
 *
 * const client = new Pool({ connectionString: "postgres://localhost/app" });
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 100, store: new PostgresStore({ client }) });
 * ```
 */
export class PostgresStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities;
  readonly #rows: PostgresRows;
  readonly #store: CompareAndSetStore;
  /** Removes the listeners that keep client errors from crashing the process. */
  readonly #unguard: () => void;

  /**
   * Creates an instance, without connecting.
   *
   * @param options Client, table, attempts and clock
   * @throws {TypeError} If `client` is not a client, `table` is not a name, or an option is unknown
   * @throws {RangeError} If `attempts` is out of range
   */
  constructor(options: PostgresStoreOptions) {
    checkNames("PostgresStore", options ?? {}, NAMES);
    const { client, table, attempts = 30, clock } = options ?? {};
    checkType("PostgresStore", "clock", clock, "function");
    this.#rows = new PostgresRows(queryOf(client), tableOf("PostgresStore", table), clock);
    this.#unguard = guardClient("PostgresStore", client);
    this.#store = new CompareAndSetStore(this.#rows, clock === undefined ? { attempts } : { attempts, clock });
    this.capabilities = { ...this.#store.capabilities, clock: "store" };
  }

  /**
   * Checks that a policy's state is short enough to send with each decision; see {@linkcode Store}.
   *
   * @throws {RangeError} If a `"sliding-log"` has a limit above 4000
   */
  checkPolicy(policy: Policy): void {
    checkLog(policy, "PostgresStore");
  }

  /** Decides a batch; see {@linkcode Store}. Rejects after losing to other processes too often. */
  async decide(takes: readonly Take[], times?: number): Promise<readonly Verdict[]> {
    return await this.#store.decide(takes, times);
  }

  /** Decides many keys under a policy in one statement, or two; see {@linkcode Store}. */
  async decideEach(takes: readonly Take[], times: readonly number[]): Promise<readonly Verdict[]> {
    const together = await this.#store.decideTogether(takes, times);
    // one contended key must not hold up all decisions
    return together ?? await Promise.all(takes.map(async (take, i) => (await this.decide([take], times[i]))[0]!));
  }

  /** Refunds units; see {@linkcode Store}. */
  async give(take: Take, stamp: number, amount: number): Promise<boolean> {
    return await this.#store.give(take, stamp, amount);
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  async settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    return await this.#store.settle(take, stamp, change);
  }

  /** Forgets keys; see {@linkcode Store}. */
  async reset(selector: Selector): Promise<number> {
    return await this.#store.reset(selector);
  }

  /** Lists keys in use; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    yield* this.#store.inspect!(policy);
  }

  /** Creates the table if necessary. */
  async warm(): Promise<void> {
    await this.#rows.made();
  }

  /** Stops listening to the client, which you close yourself. */
  close(): Promise<void> {
    this.#unguard();
    return Promise.resolve();
  }
}

function queryOf(client: PostgresClient): PostgresQuery {
  const given = client as Partial<PostgresQueryClient & PostgresUnsafeClient> | null | undefined;
  if (typeof given?.unsafe === "function") {
    return async (text, values) => await (client as PostgresUnsafeClient).unsafe(text, values);
  }
  if (typeof given?.query === "function") {
    return async (text, values) => {
      const result = await (client as PostgresQueryClient).query(text, values);
      return "rows" in result ? result.rows : result;
    };
  }
  const wanted = "a Pool or Client of npm:pg, a client of npm:postgres, a PGlite, or an object with query";
  // it may contain a password, and errors are logged
  if (typeof client !== "string") refuseOption("PostgresStore", "client", wanted, client);
  throw new TypeError(`PostgresStore: option client must be ${wanted}, not an address: pass it to one of those`);
}

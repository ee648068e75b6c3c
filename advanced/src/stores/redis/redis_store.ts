import { checkInteger, checkNames, checkType, guardClient, type OptionNames } from "@sluice/shared";
import { MAX_LIMIT } from "../../policy/check_policy.ts";
import { windowAt } from "../../policy/calendar_window.ts";
import { ALGORITHM_NAMES, capacityOf, DEFAULT_BUCKETS, hasDebts, type Policy } from "../../policy/policy.ts";
import { assertDistinct } from "../assert_distinct.ts";
import { checkLog } from "../check_log.ts";
import { noteLocation } from "../counter_location.ts";
import { decideByKey } from "../decide_by_key.ts";
import type { Capabilities, Entry, Selector, Store, Take, Verdict } from "../../policy/store.ts";
import { isRedisClient } from "./is_redis_client.ts";
import { REDIS_ALGORITHMS } from "./redis_algorithms.ts";
import { allEndings, BLOCK_ENDING, keyOf, patternOf, redisKey } from "./redis_key.ts";
import { keysBy, type RedisClient, type RedisPort, redisPortOf } from "./redis_port.ts";
import { VERDICT_LENGTH } from "./lua/main.ts";
import { decideEachScript, decideScript, forgetScript, giveScript, lookScript, settleScript } from "./redis_script.ts";
import { sharedClient } from "./shared_client.ts";

/**
 * Options for a {@linkcode RedisStore}: `url`, or a `client`.
 *
 * @example Use an existing client
 * ```ts ignore
 * import { createClient } from "redis";
 * import { RedisStore } from "@sluice/rate-limit";
 *
 * const store = new RedisStore({ client: await createClient().connect(), prefix: "limits:" });
 * ```
 */
export interface RedisStoreOptions {
  /**
   * Server address, for example `redis://localhost:6379`. The store connects and reconnects on its own. Stores with the
   * same address share a connection.
   */
  url?: string;
  /**
   * A connected node-redis (also a cluster or sentinel), ioredis, Bun or Upstash client; or a {@linkcode RedisPort}.
   * Until the store is closed, it logs the client's `error` events, unless the program listens for them.
   */
  client?: RedisClient;
  /** Prefix for all keys, `"sluice:"` by default; without braces. */
  prefix?: string;
  /** Current time in ms, instead of the server's; for tests. */
  clock?: () => number;
}

const NAMES: OptionNames<RedisStoreOptions> = { url: true, client: true, prefix: true, clock: true };

// a rate-limit-redis option; its class has the same name
function instead(name: string): string | undefined {
  return name === "sendCommand" ? "pass the client itself as option client" : undefined;
}

/** The server's clock keeps running while a test's clock stands still; nothing may expire in that time. */
const TEST_TTL_MS = 600_000;

/**
 * A store on Redis 7 or later, or Valkey, shared by all processes with the same server and prefix.
 *
 * A decision is one script and one round trip, and uses the server's clock. Every key has a time to live. Batches are
 * atomic. In a cluster, a batch's keys may be on several servers; then they are decided concurrently, and grants are
 * refunded if another key refused.
 *
 * @example Share counters between all processes
 * ```ts ignore
 * import { Limiter, RedisStore } from "@sluice/rate-limit";
 *
 * const store = new RedisStore({ url: "redis://127.0.0.1:6379" });
 * const limiter = new Limiter({ algorithm: "sliding-window", limit: 100, store });
 * ```
 */
export class RedisStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities;
  /**
   * Decides many keys in one command; see {@linkcode Store}. Not in a cluster, where they may be on several servers.
   */
  readonly decideEach?: NonNullable<Store["decideEach"]>;
  readonly #port: RedisPort;
  readonly #prefix: string;
  readonly #clock: (() => number) | undefined;
  /** Removes the listeners that keep client errors from crashing the process. */
  readonly #unguard: () => void;

  /**
   * Creates an instance, without connecting.
   *
   * @param options Where the server is
   * @throws {TypeError} If neither or both of `url` and `client` are given, the prefix has braces, or an option is
   * unknown
   */
  constructor(options: RedisStoreOptions) {
    // a URL may contain a password, and errors are logged
    if (typeof options === "string" && /:\/\//.test(options) || isRedisClient(options)) {
      throw new TypeError(
        'RedisStore: use new RedisStore({ url: "redis://host:6379" }), or new RedisStore({ client })',
      );
    }
    checkNames("RedisStore", options ?? {}, NAMES, instead);
    const { url, client, prefix = "sluice:", clock } = options ?? {};
    if ((url === undefined) === (client === undefined)) {
      throw new TypeError('RedisStore: set either option url ("redis://host:6379") or option client');
    }
    if ((url as unknown) instanceof URL) throw new TypeError("RedisStore: option url must be a string; use url.href");
    checkType("RedisStore", "url", url, "string");
    checkType("RedisStore", "clock", clock, "function");
    if (typeof prefix !== "string" || /[{}]/.test(prefix)) {
      throw new TypeError(`RedisStore: option prefix must be a string without braces, not ${String(prefix)}`);
    }
    const { port, home } = url === undefined ? { port: redisPortOf(client!), home: client! } : sharedClient(url);
    this.#unguard = client === undefined ? () => {} : guardClient("RedisStore", client);
    noteLocation(this, { home, prefix });
    this.#port = port;
    this.#prefix = prefix;
    this.#clock = clock;
    if (!this.#port.cluster) this.decideEach = (takes, times) => this.#decideEach(takes, times);
    this.capabilities = {
      algorithms: new Set(ALGORITHM_NAMES),
      atomicBatch: this.#port.cluster ? "same-key" : "all",
      exactDeny: true,
      scope: "global",
      clock: "store",
    };
  }

  /**
   * Checks that a policy is not too expensive for the server; see {@linkcode Store}.
   *
   * @throws {RangeError} If a `"sliding-log"` has a limit above 4000
   */
  checkPolicy(policy: Policy): void {
    checkLog(policy, "RedisStore");
  }

  /** Decides a batch; see {@linkcode Store}. */
  decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    assertDistinct(takes);
    if (this.#port.cluster && takes.some(({ key }) => key !== takes[0]!.key)) {
      return decideByKey(
        takes,
        times,
        (part, wanted) => this.#decide(part, wanted),
        (take, stamp, amount) => this.give(take, stamp, amount),
      );
    }
    return this.#decide(takes, times);
  }

  async #decide(takes: readonly Take[], times: number): Promise<readonly Verdict[]> {
    if (takes.length === 1) return await this.#decideEach(takes, [times]);
    const keys: string[] = [];
    const args = this.#head();
    args.push(String(times));
    for (const take of takes) {
      this.#pushKeys(keys, take);
      this.#pushPolicy(args, take.policy);
      args.push(String(take.cost), take.shadow ? "1" : "0");
    }
    const script = decideScript(takes.map(({ policy }) => policy));
    return verdictsOf(takes, await script.run(this.#port, keys, args));
  }

  async #decideEach(takes: readonly Take[], times: readonly number[]): Promise<readonly Verdict[]> {
    const [{ policy, cost, shadow }] = takes as [Take];
    const args = this.#head();
    this.#pushPolicy(args, policy);
    args.push(String(cost), shadow ? "1" : "0");
    const keys: string[] = [];
    takes.forEach((take, i) => {
      this.#pushKeys(keys, take);
      args.push(String(times[i]));
    });
    return verdictsOf(takes, await decideEachScript(policy).run(this.#port, keys, args));
  }

  #pushKeys(keys: string[], { policy, key }: Take): void {
    keys.push(this.#stateKey(policy, key));
    if (policy.block !== undefined) keys.push(redisKey(this.#prefix, policy.name + BLOCK_ENDING, key));
  }

  #stateKey({ name, algorithm }: Policy, key: string): string {
    return redisKey(this.#prefix, name + REDIS_ALGORITHMS[algorithm].ending, key);
  }

  #head(): string[] {
    return this.#clock === undefined ? ["", "0"] : [String(this.#clock()), String(TEST_TTL_MS)];
  }

  #pushPolicy(args: string[], policy: Policy): void {
    const { algorithm, limit, windowMs, buckets = DEFAULT_BUCKETS, onDenied = "free", block } = policy;
    // with debts, refusals are always free, so `maxDebt` can share this argument
    const { maxDebt = onDenied } = policy;
    args.push(
      ...[algorithm, String(limit), String(windowMs), String(capacityOf(policy))],
      ...[String(buckets), alignOf(policy, this.#clock ?? Date.now)],
      ...[String(maxDebt), String(block?.after ?? 0), String(block?.forMs ?? 0)],
    );
  }

  /** Refunds units; see {@linkcode Store}. */
  async give(take: Take, stamp: number, amount: number): Promise<boolean> {
    checkInteger("store.give", "amount", amount, 0, Number.MAX_SAFE_INTEGER);
    const args = this.#head();
    this.#pushPolicy(args, take.policy);
    args.push(String(amount), String(stamp));
    const key = this.#stateKey(take.policy, take.key);
    return Number(await giveScript(take.policy).run(this.#port, [key], args)) === 1;
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  async settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    checkInteger("store.settle", "change", change, -MAX_LIMIT, MAX_LIMIT);
    const args = this.#head();
    this.#pushPolicy(args, take.policy);
    args.push(String(change), String(stamp));
    const keys: string[] = [];
    this.#pushKeys(keys, take);
    const [verdict] = verdictsOf([take], await settleScript(take.policy).run(this.#port, keys, args));
    return verdict!;
  }

  /** Forgets keys; see {@linkcode Store}. */
  async reset({ policy, key }: Selector): Promise<number> {
    if (key !== undefined) return await this.#forget(policy, key);
    let count = 0;
    // a key may be found twice, by its block or because the server lists it again; by then it has already been deleted
    for await (const found of this.#scan(policy, allEndings())) count += await this.#forget(policy, found);
    return count;
  }

  async #forget(policy: string, key: string): Promise<number> {
    const all = allEndings().map((ending) => redisKey(this.#prefix, policy + ending, key));
    // while a cluster slot is being moved, its keys may be on two nodes
    const commands = this.#port.cluster ? all.map((one) => [one]) : [all];
    const counts = await Promise.all(commands.map((keys) => forgetScript.run(this.#port, keys, [])));
    return Math.min(1, counts.reduce<number>((sum, count) => sum + Number(count), 0));
  }

  /** Lists keys in use, each once; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    const { name, algorithm, block } = policy;
    const listed = new Set<string>();
    // a block may outlast the counts
    for await (
      const key of this.#scan(name, [
        REDIS_ALGORITHMS[algorithm].ending,
        ...(block === undefined ? [] : [BLOCK_ENDING]),
      ])
    ) {
      if (listed.has(key)) continue;
      listed.add(key);
      const verdict = await this.#look(policy, key);
      if (verdict.resetMs > 0) yield { key, verdict };
    }
  }

  // not with decide, which would shorten windows that the keys' own policies have lengthened
  async #look(policy: Policy, key: string): Promise<Verdict> {
    const take: Take = { policy, key, cost: 0 };
    const args = this.#head();
    this.#pushPolicy(args, policy);
    const keys: string[] = [];
    this.#pushKeys(keys, take);
    const [verdict] = verdictsOf([take], await lookScript(policy).run(this.#port, keys, args));
    return verdict!;
  }

  // keys may be listed more than once while the server resizes its hash table
  async *#scan(policy: string, endings: readonly string[]): AsyncGenerator<string> {
    const ending = endings.length === 1 ? endings[0]! : "\u0001*";
    for await (const found of keysBy(this.#port, patternOf(this.#prefix, policy) + ending)) {
      for (const one of endings) {
        const key = keyOf(this.#prefix, policy + one, found);
        if (key !== null) yield key;
      }
    }
  }

  /** Connects, so that the first decision does not have to wait. */
  async warm(): Promise<void> {
    await this.#port.connect?.();
  }

  /** Stops listening to the program's client, or closes the store's connection if no other store uses it. */
  async close(): Promise<void> {
    this.#unguard();
    await this.#port.close?.();
  }
}

// For a calendar window: the boundaries around the local time, from which the script selects by the server's time.
// Debts need one more, in case the server's clock is ahead.
function alignOf(policy: Policy, clock: () => number): string {
  const { align, window } = policy;
  if (window === undefined) return align ?? "";
  const { start, end, next, afterNext } = windowAt(window, clock());
  return `${start},${end},${next}${hasDebts(policy) ? `,${afterNext}` : ""}`;
}

// clients can be configured to return numbers as strings; other values must not count as grants
function verdictsOf(takes: readonly Take[], reply: unknown): Verdict[] {
  const numbers = Array.isArray(reply) ? reply.map(Number) : [];
  if (numbers.length !== takes.length * VERDICT_LENGTH || numbers.some(Number.isNaN)) {
    throw new TypeError(
      `RedisStore: the client must return a script's reply as a list of numbers, not as ${String(reply)}`,
    );
  }
  return takes.map(({ policy }, i) => verdictAt(numbers, i * VERDICT_LENGTH, capacityOf(policy)));
}

function verdictAt(reply: readonly number[], i: number, limit: number): Verdict {
  const retryAfterMs = reply[i + 3]!;
  return {
    granted: reply[i]!,
    denied: reply[i + 1] === 1,
    limit,
    remaining: reply[i + 2]!,
    retryAfterMs: retryAfterMs < 0 ? Infinity : retryAfterMs,
    nextMs: reply[i + 4]!,
    resetMs: reply[i + 5]!,
    blocked: reply[i + 6] === 1,
    stamp: reply[i + 7]!,
  };
}

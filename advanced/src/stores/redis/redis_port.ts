import { describe, isThenable } from "@sluice/shared";
import { quote } from "./redis_key.ts";

/** The client methods that a {@linkcode RedisStore} needs. Implement them for clients without an adapter. */
export interface RedisPort {
  /** Sends `EVALSHA` to the node that has the keys. Must reject with the server's message if the script is unknown. */
  evalsha(sha: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Sends `EVAL` to the node that has the keys. */
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Lists the keys that match a pattern, on all nodes. */
  scan(pattern: string): AsyncIterable<string>;
  /** Whether keys are spread over several servers, so that a script can use keys in only one slot. */
  readonly cluster?: boolean | undefined;
  /** Connects, if the store manages the connection. */
  connect?(): Promise<void>;
  /** Closes the connection, if the store manages it. */
  close?(): Promise<void>;
}

/** An `npm:redis` (node-redis) client, version 5 or 6: `createClient`, `createCluster` or `createSentinel`. */
export interface NodeRedisClient {
  /** Sends `EVALSHA`. */
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Sends `EVAL`. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Lists keys; not available on a cluster. */
  scanIterator?(options: { MATCH: string; COUNT: number }): AsyncIterable<unknown>;
  /** A cluster's primary nodes. */
  readonly masters?: readonly unknown[];
  /** Client for one cluster node. */
  nodeClient?(node: never): unknown;
  /** Borrows a client from a sentinel. */
  // deno-lint-ignore no-explicit-any -- the type of its clients is not part of this interface
  use?(fn: (client: any) => Promise<any>): Promise<unknown>;
  /** Borrows a client from a pool. */
  // deno-lint-ignore no-explicit-any -- the type of its clients is not part of this interface
  execute?(fn: (client: any) => Promise<any>): unknown;
  /** Its option `keyPrefix`. */
  readonly _keyPrefix?: unknown;
}

/** An `npm:ioredis` client: `Redis` or `Cluster`. */
export interface IoRedisClient {
  /** Sends `EVALSHA`. */
  evalsha(sha: string, keys: number, ...args: string[]): Promise<unknown>;
  /** Sends `EVAL`. */
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>;
  /** Sends any command. */
  call(command: string, ...args: string[]): Promise<unknown>;
  /** A cluster's known nodes. */
  nodes?(role: "master"): IoRedisClient[];
  /** `"ready"` when a cluster has discovered all of its nodes. */
  readonly status?: string;
  /** Its options. */
  readonly options?: { readonly keyPrefix?: unknown };
}

/** Bun's own client: `new RedisClient()`, or `redis`. */
export interface BunRedisClient {
  /** Sends any command. */
  send(command: string, args: string[]): Promise<unknown>;
  /** Whether it is connected; only used to recognize this kind of client. */
  readonly connected: boolean;
}

/** An `npm:@upstash/redis` client, which uses HTTP. */
export interface UpstashClient {
  /** Sends `EVALSHA`. */
  evalsha(sha: string, keys: string[], args: string[]): Promise<unknown>;
  /** Sends `EVAL`. */
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  /** Lists a page of keys. */
  scan(cursor: string, options: { match: string; count: number }): Promise<[string, unknown[]]>;
  /** Creates a script; used only to recognize this kind of client. */
  createScript(script: string): unknown;
}

/** Any client that a {@linkcode RedisStore} accepts. */
export type RedisClient = NodeRedisClient | IoRedisClient | BunRedisClient | UpstashClient | RedisPort;

/**
 * Recognizes a client and adapts it to the store's interface.
 *
 * @param client A node-redis, ioredis, Bun or Upstash client, or a port
 * @returns The port
 * @throws {TypeError} If it is none of these
 */
export function redisPortOf(client: RedisClient): RedisPort {
  if (typeof client === "object" && client !== null) {
    if ("evalSha" in client) return nodeRedisPort(client);
    if ("call" in client && "evalsha" in client) return ioRedisPort(client);
    if ("send" in client && "connected" in client) return bunPort(client);
    if ("createScript" in client && "evalsha" in client) return upstashPort(client);
    if ("evalsha" in client && "eval" in client && "scan" in client) return client as RedisPort;
  }
  const given = isThenable(client)
    ? "a promise: await it"
    : typeof client === "object" && client !== null
    ? "this object"
    : typeof client === "string"
    // it may contain a password, and errors are logged
    ? "an address: pass it as option url"
    : describe(client);
  throw new TypeError(
    "RedisStore: option client must be a client of npm:redis 5 or later, of npm:ioredis, of npm:@upstash/redis, Bun's " +
      `own, or an object with evalsha, eval and scan, not ${given}`,
  );
}

/**
 * Lists the keys that match a pattern. Clients that look like a port may have a different `scan`.
 *
 * @param port The port
 * @param pattern The pattern
 * @throws {TypeError} If `scan` does not return an async iterable
 */
export function keysBy(port: RedisPort, pattern: string): AsyncIterable<string> {
  const keys: unknown = port.scan(pattern);
  if (typeof keys === "object" && keys !== null && Symbol.asyncIterator in keys) return keys as AsyncIterable<string>;
  // its result is not needed, and a rejection must not crash the process
  if (isThenable(keys)) keys.then(undefined, () => {});
  throw new TypeError("RedisStore: the client's scan(pattern) must list keys one by one, as an async generator does");
}

/** Keys that a server scans per reply. */
const PAGE = 500;

function nodeRedisPort(client: NodeRedisClient): RedisPort {
  return {
    cluster: "masters" in client,
    evalsha: (sha, keys, args) => client.evalSha(sha, { keys: keys as string[], arguments: args as string[] }),
    eval: (script, keys, args) => client.eval(script, { keys: keys as string[], arguments: args as string[] }),
    async *scan(pattern) {
      // the client adds its prefix to keys in scripts, but not to patterns, and does not strip it from listed keys
      const prefix = String(client._keyPrefix ?? "");
      for await (const key of nodeRedisKeys(client, quote(prefix) + pattern)) yield key.slice(prefix.length);
    },
  };
}

async function* nodeRedisKeys(client: NodeRedisClient, pattern: string): AsyncGenerator<string> {
  const options = { MATCH: pattern, COUNT: PAGE };
  if (client.masters !== undefined) {
    // without nodes, the cluster would seem to have no keys
    if (client.masters.length === 0) throw new Error("RedisStore: the cluster's client is not connected");
    for (const master of client.masters) {
      const node = await client.nodeClient!(master as never) as NodeRedisClient;
      yield* flat(node.scanIterator!(options));
    }
  } else if (client.scanIterator !== undefined) yield* flat(client.scanIterator(options));
  else {
    const found: string[] = [];
    const list = async (one: NodeRedisClient) => {
      for await (const key of flat(one.scanIterator!(options))) found.push(key);
    };
    await (client.use === undefined ? client.execute!(list) : client.use(list));
    yield* found;
  }
}

// version 4 yields single keys, later versions yield lists; all versions can be configured to return Buffers
async function* flat(pages: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const page of pages) yield* Array.isArray(page) ? page.map(String) : [String(page)];
}

function ioRedisPort(client: IoRedisClient): RedisPort {
  return {
    cluster: typeof client.nodes === "function",
    evalsha: (sha, keys, args) => client.evalsha(sha, keys.length, ...keys, ...args),
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    async *scan(pattern) {
      // as with node-redis
      const prefix = String(client.options?.keyPrefix ?? "");
      // a cluster that has not discovered all its nodes yet delays commands until it has
      if (client.nodes !== undefined && client.status !== "ready") await client.call("TIME");
      for (const node of client.nodes?.("master") ?? [client]) {
        const keys = pagesOf(quote(prefix) + pattern, (args) => node.call("SCAN", ...args));
        for await (const key of keys) yield key.slice(prefix.length);
      }
    },
  };
}

// uses send(), because its evalsha, eval and scan methods take different arguments than a port's
function bunPort(client: BunRedisClient): RedisPort {
  return {
    evalsha: (sha, keys, args) => client.send("EVALSHA", [sha, String(keys.length), ...keys, ...args]),
    eval: (script, keys, args) => client.send("EVAL", [script, String(keys.length), ...keys, ...args]),
    scan: (pattern) => pagesOf(pattern, (args) => client.send("SCAN", args)),
  };
}

function upstashPort(client: UpstashClient): RedisPort {
  return {
    evalsha: (sha, keys, args) => client.evalsha(sha, keys as string[], args as string[]),
    eval: (script, keys, args) => client.eval(script, keys as string[], args as string[]),
    scan: (pattern) => pagesOf(pattern, ([cursor]) => client.scan(cursor!, { match: pattern, count: PAGE })),
  };
}

async function* pagesOf(pattern: string, scan: (args: string[]) => Promise<unknown>): AsyncGenerator<string> {
  let cursor = "0";
  do {
    const [next, keys] = await scan([cursor, "MATCH", pattern, "COUNT", String(PAGE)]) as [string, string[]];
    yield* keys;
    cursor = next;
  } while (cursor !== "0");
}

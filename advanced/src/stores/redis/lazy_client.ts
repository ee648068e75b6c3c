import { importsExist, requirePackage } from "@sluice/shared";
import { RedisConnection } from "./redis_connection.ts";
import type { RedisPort } from "./redis_port.ts";

// the part before the host may contain a password, and errors are logged
function shown(url: string): string {
  const at = url.lastIndexOf("@");
  return at === -1 ? url : `${/^\w+:\/\//.exec(url)?.[0] ?? ""}…${url.slice(at)}`;
}

function isAddress(url: string): boolean {
  if (!/^(rediss?|unix):\/\//.test(url) || !URL.canParse(url)) return false;
  const { protocol, username, password, pathname } = new URL(url);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  // the path may only be a database number
  return protocol === "unix:" || /^\/?\d*$/.test(pathname);
}

/**
 * An `npm:redis` client that is loaded immediately, and connected on first use.
 *
 * While the server is unreachable, commands fail immediately instead of being queued and replayed as a flood. The
 * client reconnects on its own, at first after 50 ms, then at growing intervals of up to 2 s. A connection whose other
 * end has vanished would linger for a quarter of an hour, so it is replaced after ten seconds. So is a connection to a
 * server that has become a replica and refuses writes: the address may already lead to the new primary.
 *
 * @param url The server's address
 * @returns The port
 * @throws {TypeError} If the address is not a `redis:`, `rediss:` or `unix:` URL
 */
export function lazyClient(url: string): RedisPort {
  if (!isAddress(url)) {
    throw new TypeError(
      "RedisStore: option url must be like redis://user:password@host:6379/0, rediss://… or unix:///path, " +
        `percent-encoded, not ${JSON.stringify(shown(url))}`,
    );
  }
  // immediately, because loading takes longer than a decision may; the first decision reports a failure
  load().catch(() => {});
  let current: RedisConnection | null = null;
  let connecting: Promise<RedisConnection> | null = null;
  let closed = false;

  async function connect(): Promise<RedisConnection> {
    try {
      const { createClient } = await load();
      if (closed) throw new Error("RedisStore: the store was closed");
      return current = new RedisConnection(createClient, url);
    } catch (error) {
      connecting = null;
      throw error;
    }
  }

  async function ready(): Promise<RedisConnection> {
    if (current?.isUseless) {
      current.drop();
      current = connecting = null;
    }
    const connection = await (connecting ??= connect());
    await connection.established();
    return connection;
  }

  return {
    evalsha: (sha, keys, args) =>
      current?.isReady && !current.isUseless
        ? current.evalsha(sha, keys, args)
        : ready().then((one) => one.evalsha(sha, keys, args)),
    eval: (script, keys, args) => ready().then((one) => one.eval(script, keys, args)),
    async *scan(pattern) {
      yield* (await ready()).scan(pattern);
    },
    async connect() {
      await ready();
    },
    async close() {
      closed = true;
      await current?.close();
    },
  };
}

// Bundlers must leave this import alone: it needs Node's modules, and programs bundled for the edge mostly use another
// store. esbuild does without a literal second argument, webpack and Vite with a comment. The argument is a parameter
// because webpack removes constants that only such an import uses.
async function load(options: ImportCallOptions = {}): Promise<typeof import("redis")> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ "redis", options).catch(required);
  } catch (cause) {
    const remedy = "install it; in a program that was bundled into one file, give option client instead of url";
    throw new Error(`RedisStore: option url needs the package redis, which could not be loaded: ${remedy}`, { cause });
  }
}

// Jest runs programs in a vm context without dynamic import
async function required(cause: unknown): Promise<typeof import("redis")> {
  const installed = importsExist(cause) ? undefined : await requirePackage("redis");
  if (installed === undefined) throw cause;
  return installed as typeof import("redis");
}

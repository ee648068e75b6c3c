import { type RedisPort, redisPortOf } from "./redis_port.ts";

/** The part of `npm:redis` that is used here. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  close(): Promise<void>;
  on(event: "error" | "ready", listener: (error: unknown) => void): unknown;
}

/** How long the end of a connection waits for answers, in ms. */
const CLOSING_MS = 1000;

/** A connection on which nothing is heard for this long, in ms, though an answer is due, is taken for lost. */
const SILENCE_MS = 10_000;

/** How old a connection to a replica has to be, in ms, to be left for another one: as long as its address leads there. */
const REPLICA_MS = 1000;

// what stands in front of the host may be a password, and errors go to logs
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
  // behind the host stands the number of a database, if anything
  return protocol === "unix:" || /^\/?\d*$/.test(pathname);
}

// where only one side speaks TLS, neither says so: one waits for the other, or leaves
function explained(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const [signs, remedy] = url.startsWith("rediss:")
    ? [/^Connection timeout|ECONNRESET|WRONG_VERSION_NUMBER/, "a server that speaks no TLS needs redis://"]
    : [/^Socket closed|ECONNRESET/, "a server that speaks TLS needs rediss://"];
  if (!signs.test(`${error.message} ${(error as { code?: unknown }).code}`)) return error;
  return new Error(`RedisStore: no connection; ${remedy} (${error.message.trim()})`, { cause: error });
}

/**
 * A client of `npm:redis` that is loaded at once, and connected when it is first needed.
 *
 * While the server is away every command fails at once, instead of waiting in a queue that would be played back as a
 * flood; the client reconnects by itself, at first after 50 ms, then more and more slowly, at most every 2 s. A connection
 * whose other end went without a word would stay for a quarter of an hour: after ten seconds another one is made. So it is
 * where the server has become a replica, which refuses to write: its address may lead to the new primary by now.
 *
 * @param url Address of the server
 * @returns The port
 * @throws {TypeError} If the address is no `redis:`, `rediss:` or `unix:` URL
 */
export function lazyClient(url: string): RedisPort {
  if (!isAddress(url)) {
    throw new TypeError(
      "RedisStore: option url must be like redis://user:password@host:6379/0, rediss://… or unix:///path, " +
        `percent-encoded, not ${JSON.stringify(shown(url))}`,
    );
  }
  // loading it takes longer than a decision may; without it the first decision tells
  load().catch(() => {});
  let port: RedisPort | null = null;
  let client: Client | null = null;
  let connecting: Promise<void> | null = null;
  let closed = false;
  /** Why there is no connection: what the client says of a command then is only that there is none. */
  let failure: unknown;
  /** Since when an answer or a connection is waited for, `null` while nothing is. */
  let waiting: number | null = null;
  const heard = () => waiting = null;
  /** Since when there is this connection. */
  let begun = 0;
  let isReplica = false;
  const failed = (error: unknown) => {
    if (/\bREADONLY\b/.test(String(error)) && performance.now() - begun >= REPLICA_MS) isReplica = true;
  };

  async function connect(): Promise<void> {
    const { createClient } = await load();
    if (closed) throw new Error("RedisStore: the store was closed");
    const made = createClient({
      url,
      disableOfflineQueue: true,
      // the limiter has a time budget of its own: the client's would be one timer for every command
      commandOptions: { timeout: 0 },
      socket: {
        reconnectStrategy: (retries: number) => Math.min(2000, 50 * 2 ** Math.min(retries, 6)) + Math.random() * 50,
      },
    });
    const connected = client = made as unknown as Client;
    failure = undefined;
    waiting = performance.now();
    port = redisPortOf(made as unknown as Parameters<typeof redisPortOf>[0]);
    // the first failure is told to whoever waits, while the client goes on trying; a connection lost later shows in the
    // commands that fail, and without a listener it would end the process
    await new Promise<void>((resolve, reject) => {
      let wasReady = false;
      connected.on("error", (error) => {
        const told = wasReady ? error : explained(error, url);
        // it goes on trying
        if (client === connected && !connected.isReady) {
          waiting = performance.now();
          failure = told;
        }
        reject(told);
      });
      connected.on("ready", () => {
        wasReady = true;
        failure = undefined;
        begun = performance.now();
        // a connection that was being made cannot be called off
        if (closed || client !== connected) connected.destroy();
        else heard();
      });
      connected.connect().then(() => resolve(), reject);
    });
  }

  function isUseless(): boolean {
    return isReplica || waiting !== null && performance.now() - waiting >= SILENCE_MS;
  }

  // of those under way at the same time one is enough
  function watched(answer: Promise<unknown>): Promise<unknown> {
    answer.catch(failed);
    if (waiting === null) {
      waiting = performance.now();
      answer.then(heard, heard);
    }
    return answer;
  }

  function ready(): Promise<RedisPort> {
    if (client !== null && isUseless()) {
      client.destroy();
      client = port = null;
      connecting = waiting = null;
      isReplica = false;
    }
    if (port !== null && client!.isReady) return Promise.resolve(port);
    if (connecting === null) {
      const own = connecting = connect();
      own.catch(() => {
        if (client === null && connecting === own) connecting = null;
      });
    }
    return connecting.then(() => {
      if (failure !== undefined) throw failure;
      return port!;
    }, (first) => {
      throw failure ?? first;
    });
  }

  return {
    evalsha: (sha, keys, args) =>
      port !== null && client!.isReady && !isUseless()
        ? watched(port.evalsha(sha, keys, args))
        : ready().then((one) => watched(one.evalsha(sha, keys, args))),
    eval: (script, keys, args) => ready().then((one) => watched(one.eval(script, keys, args))),
    async *scan(pattern) {
      yield* (await ready()).scan(pattern);
    },
    connect: () => ready().then(() => undefined),
    async close() {
      closed = true;
      if (client === null) return;
      if (client.isReady) await inTime(client.close());
      // whatever still waits for an answer does not get one
      client.destroy();
    },
  };
}

// Bundlers are to leave it alone: it needs Node's modules, and who bundles for an edge mostly uses another store. They
// do where the second argument is no literal (esbuild) or a comment says so (webpack, Vite).
const NO_OPTIONS = {};

async function load(): Promise<typeof import("redis")> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ "redis", NO_OPTIONS);
  } catch (cause) {
    const remedy = "install it; in a program that was bundled into one file, give option client instead of url";
    throw new Error(`RedisStore: option url needs the package redis, which could not be loaded: ${remedy}`, { cause });
  }
}

async function inTime(closing: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Node 20 has no Promise.withResolvers
  await Promise.race([closing, new Promise<void>((resolve) => timer = setTimeout(resolve, CLOSING_MS))]);
  clearTimeout(timer);
}

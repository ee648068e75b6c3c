import { type RedisPort, redisPortOf } from "./redis_port.ts";

/** The used part of a client of `npm:redis`. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  close(): Promise<void>;
  on(event: "error" | "ready", listener: (error: unknown) => void): unknown;
}

/** How long closing waits for answers in ms. */
const CLOSING_MS = 1000;

/** A connection counts as lost if an answer is due, and nothing has arrived for this many ms. */
const SILENCE_MS = 10_000;

/** A connection to a replica is replaced only when it is this old in ms, since the address may still lead there. */
const REPLICA_MS = 1000;

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
  // after the host there is at most the number of a database
  return protocol === "unix:" || /^\/?\d*$/.test(pathname);
}

// if only one side uses TLS, there is no clear error: one side waits, or closes the connection
function explained(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const [signs, remedy] = url.startsWith("rediss:")
    ? [/^Connection timeout|ECONNRESET|WRONG_VERSION_NUMBER/, "a server that speaks no TLS needs redis://"]
    : [/^Socket closed|ECONNRESET/, "a server that speaks TLS needs rediss://"];
  if (!signs.test(`${error.message} ${(error as { code?: unknown }).code}`)) return error;
  return new Error(`RedisStore: no connection; ${remedy} (${error.message.trim()})`, { cause: error });
}

/**
 * A client of `npm:redis` that is loaded right away, and connected on first use.
 *
 * While the server is not reachable, commands fail immediately, instead of being queued and replayed as a flood. The
 * client reconnects by itself, at first after 50 ms, then at growing intervals of up to 2 s. A connection whose other
 * end has vanished would last for a quarter of an hour, so it is replaced after ten seconds. So is one to a server that
 * has become a replica, which refuses writes: the address may lead to the new primary by now.
 *
 * @param url Address of the server
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
  // right away, because loading takes longer than a decision may; a failure is reported by the first decision
  load().catch(() => {});
  let port: RedisPort | null = null;
  let client: Client | null = null;
  let connecting: Promise<void> | null = null;
  let closed = false;
  /** Why there is no connection; the client's own errors for commands do not say. */
  let failure: unknown;
  /** Since when an answer or a connection has been awaited, `null` for none. */
  let waiting: number | null = null;
  const heard = () => waiting = null;
  /** When this connection was established. */
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
      // the limiter has its own time limit; the client's would need a timer for every command
      commandOptions: { timeout: 0 },
      socket: {
        reconnectStrategy: (retries: number) => Math.min(2000, 50 * 2 ** Math.min(retries, 6)) + Math.random() * 50,
      },
    });
    const connected = client = made as unknown as Client;
    failure = undefined;
    waiting = performance.now();
    port = redisPortOf(made as unknown as Parameters<typeof redisPortOf>[0]);
    // the first failure rejects this promise, while the client goes on trying. Later failures show in commands; without
    // a listener they would end the process
    await new Promise<void>((resolve, reject) => {
      let wasReady = false;
      connected.on("error", (error) => {
        const told = wasReady ? error : explained(error, url);
        // the client goes on trying
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
        // a connection attempt cannot be cancelled
        if (closed || client !== connected) connected.destroy();
        else heard();
      });
      connected.connect().then(() => resolve(), reject);
    });
  }

  function isUseless(): boolean {
    return isReplica || waiting !== null && performance.now() - waiting >= SILENCE_MS;
  }

  // of several commands in flight, watching one is enough
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
      // commands that are still waiting get no answer
      client.destroy();
    },
  };
}

// Bundlers must leave this import alone: it needs Node's modules, and programs bundled for the edge mostly use another
// store. They do if the second argument is no literal (esbuild), or by a comment (webpack, Vite). It is a parameter
// because webpack removes constants that only such an import uses.
async function load(options: ImportCallOptions = {}): Promise<typeof import("redis")> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ "redis", options);
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

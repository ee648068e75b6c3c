import { type RedisPort, redisPortOf } from "./redis_port.ts";

/** The part of an `npm:redis` client that is used. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  close(): Promise<void>;
  on(event: "error" | "ready", listener: (error: unknown) => void): unknown;
}

/** How long closing waits for replies, in ms. */
const CLOSING_MS = 1000;

/** A connection counts as lost if a reply is due and nothing has arrived for this many ms. */
const SILENCE_MS = 10_000;

/** A connection to a replica is replaced only once it is this old in ms, because the address may still lead there. */
const REPLICA_MS = 1000;

/** An `npm:redis` client that connects immediately and reconnects on its own, until it is replaced. */
export class RedisConnection implements Pick<RedisPort, "evalsha" | "eval" | "scan"> {
  readonly #client: Client;
  readonly #port: RedisPort;
  /** Settles with the first attempt; later failures appear in commands. */
  readonly #attempt: Promise<void>;
  /** Why there is no connection; the client's own errors for commands omit it. */
  #failure: unknown;
  /** Since when a reply or a connection has been due, `null` if neither is. */
  #waiting: number | null = performance.now();
  /** When it was last established, 0 if never. */
  #begun = 0;
  #isReplica = false;
  #isDropped = false;

  /**
   * Starts connecting.
   *
   * @param createClient The `npm:redis` function
   * @param url The server's address
   */
  constructor(createClient: typeof import("redis").createClient, url: string) {
    const client = createClient({
      url,
      disableOfflineQueue: true,
      // the limiter has its own timeout; the client's would need a timer per command
      commandOptions: { timeout: 0 },
      socket: {
        reconnectStrategy: (retries: number) => Math.min(2000, 50 * 2 ** Math.min(retries, 6)) + Math.random() * 50,
      },
    });
    this.#client = client as unknown as Client;
    this.#port = redisPortOf(client as unknown as Parameters<typeof redisPortOf>[0]);
    this.#attempt = this.#connect(url);
    this.#attempt.catch(() => {});
  }

  #connect(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      // without a listener, an error would crash the process
      this.#client.on("error", (error) => {
        const told = this.#begun === 0 ? explained(error, url) : error;
        // the client keeps trying
        if (!this.#client.isReady) {
          this.#waiting = performance.now();
          this.#failure = told;
        }
        reject(told);
      });
      this.#client.on("ready", () => {
        this.#failure = undefined;
        this.#begun = performance.now();
        this.#waiting = null;
        // a connection attempt cannot be canceled
        if (this.#isDropped) this.#client.destroy();
      });
      this.#client.connect().then(() => resolve(), reject);
    });
  }

  /** Whether commands reach the server, as far as is known. */
  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** Whether it should be replaced because the other end has vanished, or refuses writes. */
  get isUseless(): boolean {
    return this.#isReplica || this.#waiting !== null && performance.now() - this.#waiting >= SILENCE_MS;
  }

  /** Waits for the first connection attempt. Rejects with the reason while there is no connection. */
  async established(): Promise<void> {
    if (this.#client.isReady) return;
    await this.#attempt.catch((first) => {
      throw this.#failure ?? first;
    });
    if (this.#failure !== undefined) throw this.#failure;
  }

  evalsha(sha: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#watched(this.#port.evalsha(sha, keys, args));
  }

  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#watched(this.#port.eval(script, keys, args));
  }

  /** Lists the keys that match a pattern. */
  scan(pattern: string): AsyncIterable<string> {
    return this.#port.scan(pattern);
  }

  #watched(reply: Promise<unknown>): Promise<unknown> {
    reply.catch((error) => {
      const isOld = performance.now() - this.#begun >= REPLICA_MS;
      if (isOld && /\bREADONLY\b/.test(String(error))) this.#isReplica = true;
    });
    // with several commands in flight, watching one is enough
    if (this.#waiting === null) {
      this.#waiting = performance.now();
      const heard = () => this.#waiting = null;
      reply.then(heard, heard);
    }
    return reply;
  }

  /** Drops the connection. Pending commands get no reply. */
  drop(): void {
    this.#isDropped = true;
    this.#client.destroy();
  }

  /** Waits for replies, up to a second, and closes it. */
  async close(): Promise<void> {
    this.#isDropped = true;
    if (this.#client.isReady) await inTime(this.#client.close());
    this.drop();
  }
}

// if only one side uses TLS, there is no clear error: one side waits, or closes the connection
function explained(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const [signs, remedy] = url.startsWith("rediss:")
    ? [/^Connection timeout|ECONNRESET|WRONG_VERSION_NUMBER/, "a server without TLS needs redis://"]
    : [/^Socket closed|ECONNRESET/, "a server with TLS needs rediss://"];
  if (!signs.test(`${error.message} ${(error as { code?: unknown }).code}`)) return error;
  return new Error(`RedisStore: no connection; ${remedy} (${error.message.trim()})`, { cause: error });
}

async function inTime(closing: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Node 20 has no Promise.withResolvers
  await Promise.race([closing, new Promise<void>((resolve) => timer = setTimeout(resolve, CLOSING_MS))]);
  clearTimeout(timer);
}

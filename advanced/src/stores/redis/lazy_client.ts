import { type RedisPort, redisPortOf } from "./redis_port.ts";

/** The part of `npm:redis` that is used here. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  close(): Promise<void>;
  on(event: "error", listener: () => void): unknown;
}

/**
 * A client of `npm:redis` that is loaded and connected when it is first needed.
 *
 * While the server is away every command fails at once, instead of waiting in a queue that would be played back as a
 * flood; the client reconnects by itself, at first after 50 ms, then more and more slowly, at most every 2 s.
 *
 * @param url Address of the server
 * @returns The port
 * @throws {TypeError} If the address is no `redis:` or `rediss:` URL
 */
export function lazyClient(url: string): RedisPort {
  if (!/^rediss?:\/\/|^unix:/.test(url) || !URL.canParse(url)) {
    throw new TypeError(`RedisStore: option url must begin with redis:// or rediss://, not ${JSON.stringify(url)}`);
  }
  let port: RedisPort | null = null;
  let client: Client | null = null;
  let connecting: Promise<void> | null = null;
  let closed = false;

  async function connect(): Promise<void> {
    if (closed) throw new Error("RedisStore: the store was closed");
    const { createClient } = await import("redis");
    const made = createClient({
      url,
      disableOfflineQueue: true,
      // the limiter has a time budget of its own: the client's would be one timer for every command
      commandOptions: { timeout: 0 },
      socket: {
        reconnectStrategy: (retries: number) => Math.min(2000, 50 * 2 ** Math.min(retries, 6)) + Math.random() * 50,
      },
    });
    client = made as unknown as Client;
    // a lost connection shows in the commands that fail; without a listener it would end the process
    client.on("error", () => {});
    port = redisPortOf(made as unknown as Parameters<typeof redisPortOf>[0]);
    await client.connect();
  }

  function ready(): Promise<RedisPort> {
    if (port !== null && client!.isReady) return Promise.resolve(port);
    if (connecting === null) {
      connecting = connect();
      // whoever asked sees the failure; the next one tries anew
      connecting.catch(() => connecting = null);
    }
    return connecting.then(() => port!);
  }

  return {
    evalsha: (sha, keys, args) =>
      port !== null && client!.isReady
        ? port.evalsha(sha, keys, args)
        : ready().then((one) => one.evalsha(sha, keys, args)),
    eval: (script, keys, args) => ready().then((one) => one.eval(script, keys, args)),
    async *scan(pattern) {
      yield* (await ready()).scan(pattern);
    },
    connect: () => ready().then(() => undefined),
    close() {
      closed = true;
      if (client === null) return Promise.resolve();
      if (client.isReady) return client.close();
      client.destroy();
      return Promise.resolve();
    },
  };
}

import { createRequire } from "node:module";
import { assert } from "@std/assert";
import { Miniflare } from "miniflare";
import { bundled } from "../contracts/bundled.ts";

const RUNTIMES = Deno.env.get("SLUICE_RUNTIMES");
// the one the tests install is newer than miniflare's own (scripts/runtimes.ts)
if (RUNTIMES !== undefined) {
  const { default: binary } = createRequire(`${RUNTIMES}package.json`)("workerd") as { default: string };
  Deno.env.set("MINIFLARE_WORKERD_PATH", binary);
}

/** What a Worker is started with, beside its program. */
export interface WorkerOptions {
  /** Flags of workerd. */
  flags?: string[];
  /** Variables. */
  bindings?: Record<string, string>;
  /** Classes of Durable Objects by the name of their binding. */
  objects?: Record<string, string>;
  /** Files it is deployed with. */
  files?: Record<string, string>;
  /** The main module, which imports the program as `./program.js`; the program itself by default. */
  main?: string;
}

/** A program in workerd. */
export interface RunningWorker {
  /** Where it listens. */
  readonly origin: string;
  /** Asks it and reads the text. */
  text(path: string, init?: RequestInit): Promise<string>;
  /** Opens a WebSocket. */
  connect(path: string, options?: ConnectOptions): Promise<WorkerClient>;
  /** Puts an object to sleep, with its connections left open. */
  sleep(className: string, name: string): Promise<void>;
}

/** What a handshake is made with. */
export interface ConnectOptions {
  protocols?: string[];
  headers?: Record<string, string>;
}

/** workerd is a process of its own, and miniflare keeps connections to it. */
export const WORKERD = { sanitizeOps: false, sanitizeResources: false, ignore: RUNTIMES === undefined };

/** Bundles a program, runs it in workerd, and ends it. */
export async function withWorker(
  program: string,
  options: WorkerOptions,
  body: (worker: RunningWorker) => Promise<void>,
): Promise<void> {
  const script = await Deno.readTextFile(await bundled(program));
  const { main, flags = [], bindings = {}, objects = {}, files = {} } = options;
  const modules = main === undefined ? { "main.js": script } : { "main.js": main, "program.js": script };
  const miniflare = new Miniflare({
    name: "worker",
    modules: [
      ...Object.entries(modules).map(([path, contents]) => ({ type: "ESModule" as const, path, contents })),
      ...Object.entries(files).map(([path, contents]) => ({ type: "Text" as const, path, contents })),
    ],
    compatibilityDate: "2026-07-01",
    compatibilityFlags: flags,
    bindings,
    durableObjects: Object.fromEntries(
      Object.entries(objects).map(([name, className]) => [name, { className, useSQLite: true }]),
    ),
    host: "127.0.0.1",
    port: 0,
  });
  const clients: WorkerClient[] = [];
  try {
    const { origin } = await miniflare.ready;
    await body({
      origin,
      text: async (path, init) => await (await fetch(origin + path, init)).text(),
      async connect(path, connectOptions) {
        const client = new WorkerClient(origin.replace("http", "ws") + path, connectOptions);
        clients.push(client);
        await client.opened;
        return client;
      },
      sleep: (className, name) =>
        miniflare.unsafeEvictDurableObject("worker", className, { name, webSockets: "hibernate" }),
    });
  } finally {
    for (const client of clients) client.socket.close();
    await miniflare.dispose();
  }
}

/** A client that is asked for one message after the other. */
export class WorkerClient {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  readonly #closed: Promise<CloseEvent>;
  readonly #messages: ReadableStreamDefaultReader<string | ArrayBuffer>;

  constructor(url: string, { protocols = [], headers = {} }: ConnectOptions = {}) {
    // Deno's own options: headers in the handshake
    const socket = this.socket = new WebSocket(url, { protocols, headers } as unknown as string[]);
    socket.binaryType = "arraybuffer";
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    socket.onopen = () => resolve();
    this.#messages = new ReadableStream<string | ArrayBuffer>({
      start(controller) {
        socket.onmessage = ({ data }) => controller.enqueue(data);
        socket.onerror = (event) => reject(new Error((event as ErrorEvent).message));
      },
    }).getReader();
    this.#closed = new Promise((resolve) => socket.onclose = resolve);
  }

  /** How the connection ended. */
  get closed(): Promise<CloseEvent> {
    return inTime(this.#closed);
  }

  /** The next message. */
  async next(): Promise<string | ArrayBuffer> {
    const { value } = await inTime(this.#messages.read());
    assert(value !== undefined);
    return value;
  }

  /** Says something and gives the answer. */
  async say(data: string | Uint8Array<ArrayBuffer>): Promise<string | ArrayBuffer> {
    this.socket.send(data);
    return await this.next();
  }

  /** Closes and waits until it is over. */
  async close(code?: number, reason?: string): Promise<CloseEvent> {
    this.socket.close(code, reason);
    return await this.closed;
  }
}

async function inTime<T>(coming: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("not within 10 s")), 10_000);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until something is so; another look is the only sign. */
export async function until(look: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + 5000;
  while (!await look()) assert(Date.now() < late, `not within 5 s: ${look}`);
}

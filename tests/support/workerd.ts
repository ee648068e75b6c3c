import { createRequire } from "node:module";
import { Miniflare } from "miniflare";
import { bundled } from "../contracts/bundled.ts";
import { type ConnectOptions, SocketClient } from "../contracts/socket_client.ts";
import { PATIENCE_MS } from "./patience.ts";

const RUNTIMES = Deno.env.get("SLUICE_RUNTIMES");
// the workerd installed for the tests is newer than miniflare's own (scripts/runtimes.ts)
if (RUNTIMES !== undefined) {
  const { default: binary } = createRequire(`${RUNTIMES}package.json`)("workerd") as { default: string };
  Deno.env.set("MINIFLARE_WORKERD_PATH", binary);
}

/** Worker options. */
export interface WorkerOptions {
  /** workerd flags. */
  flags?: string[];
  /** Environment variables. */
  bindings?: Record<string, string>;
  /** Durable Object classes by binding name. */
  objects?: Record<string, string>;
  /** Rate limit bindings by name. */
  limits?: Record<string, { limit: number; period: 10 | 60 }>;
  /** Files deployed with it. */
  files?: Record<string, string>;
  /** The main module, which imports the program as `./program.js`. The default is the program itself. */
  main?: string;
}

/** A program in workerd. */
export interface RunningWorker {
  readonly origin: string;
  /** Sends it a request and returns the body as a string. */
  text(path: string, init?: RequestInit): Promise<string>;
  /** Opens a WebSocket. */
  connect(path: string, options?: ConnectOptions): Promise<WorkerClient>;
  /** Evicts an object from memory; its connections stay open. */
  sleep(className: string, name: string): Promise<void>;
}

/** workerd is a separate process, and miniflare keeps connections to it. */
export const WORKERD = { sanitizeOps: false, sanitizeResources: false, ignore: RUNTIMES === undefined };

/** Bundles a program, runs it in workerd, and stops it. */
export async function withWorker(
  program: string,
  options: WorkerOptions,
  body: (worker: RunningWorker) => Promise<void>,
): Promise<void> {
  const script = await Deno.readTextFile(await bundled(program, "workerd"));
  const { main, flags = [], bindings = {}, objects = {}, limits = {}, files = {} } = options;
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
    ratelimits: Object.fromEntries(
      Object.entries(limits).map(([name, simple]) => [name, { namespace_id: name, simple }]),
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
        const client = new WorkerClient(origin, path, connectOptions);
        clients.push(client);
        await inTime(client.opened());
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

/** A client that does not wait forever. */
export class WorkerClient extends SocketClient {
  override next(): Promise<string | ArrayBuffer> {
    return inTime(super.next());
  }

  override close(code?: number, reason?: string): Promise<CloseEvent> {
    return inTime(super.close(code, reason));
  }
}

async function inTime<T>(coming: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Deploys: servers are replaced while clients keep their connections and retry no POST. */
import { random } from "../../tests/support/random.ts";
import { opened, readUntil, writeText } from "../../tests/support/raw_client.ts";
import { until } from "../../tests/support/until.ts";
import { freePort } from "../../tests/support/free_port.ts";
import { Child, commandOf, type RuntimeName, RUNTIMES } from "../support/children.ts";
import { ask } from "../support/http_client.ts";
import { CHECK_MS, haproxy, nginx } from "./proxies.ts";
import type { Row } from "./row.ts";

const CLIENTS = 50;
const DRAIN_MS = 1500;
/** Maximum pause between a client's requests in ms, shorter than the drain. */
const MOST_PAUSE_MS = 1000;
const SEED = 64;

/** A way to deploy. */
interface Way {
  readonly name: string;
  readonly restarts: number;
  /** Starts the proxy in front of the servers. */
  readonly proxy?: typeof haproxy;
  /** Time the proxy needs to notice that a server is ready, in ms. */
  readonly seenMs?: number;
}

const WAYS: readonly Way[] = [
  { name: "clients that keep their connections", restarts: 10 },
  { name: "behind haproxy", restarts: 10, proxy: haproxy, seenMs: 4 * CHECK_MS },
  { name: "behind nginx, reloaded without the server first", restarts: 30, proxy: nginx },
];

/** Replaces servers on each runtime, without a proxy and behind proxies. */
export async function* deploys(): AsyncGenerator<Row> {
  for (const runtime of RUNTIMES) for (const way of WAYS) yield await deploy(runtime, way);
}

async function deploy(runtime: RuntimeName, { name, restarts, proxy, seenMs = 0 }: Way): Promise<Row> {
  const isProxied = proxy !== undefined;
  const command = await commandOf(runtime, "reliability/chaos/shutdown_program.ts");
  const ports = Array.from({ length: isProxied ? 2 : 1 }, freePort);
  const start = async (port: number) => {
    const child = Child.start(command, { NODE_ENV: "test", PORT: String(port), DRAIN_MS: String(DRAIN_MS) });
    await child.line();
    return child;
  };
  const servers = await Promise.all(ports.map(start));
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void await Promise.all(servers.map((server) => server[Symbol.asyncDispose]())));
  const front = await proxy?.(ports, stack);
  const port = front?.port ?? ports[0]!;
  const clients = new Clients(port, isProxied);
  let code = 0;
  for (let i = 0; i < restarts; i++) {
    if (front?.leaveOut === undefined) {
      await until(() => clients.connected === CLIENTS, "every client keeps a connection");
    }
    const at = i % servers.length;
    await front?.leaveOut?.(ports[at]);
    servers[at]!.signal("SIGTERM");
    code ||= await servers[at]!.ended();
    servers[at] = await start(ports[at]!);
    await front?.leaveOut?.(undefined);
    clients.restarted();
    await until(async () => (await ask(port, "/ready")).status === 200, "it is ready");
    // the proxy has also noticed it before the other server is replaced
    await new Promise((resolve) => setTimeout(resolve, seenMs));
  }
  await clients.end();
  const { sent, lost, causes } = clients;
  const broken = lost > 0
    ? `${lost} requests are lost: ${[...causes].join("; ")}`
    : code !== 0
    ? `code ${code}`
    : undefined;
  return {
    ...{ fault: `${restarts} deploys on ${runtime}, ${name}`, sent, lost, slowestMs: clients.slowestMs },
    remark: isProxied ? "" : `${clients.told} times a connection ended as announced`,
    ...(broken === undefined ? {} : { broken }),
  };
}

/** Clients that send POSTs, each over its own connection. */
class Clients {
  sent = 0;
  lost = 0;
  /** Number of responses that announced that their connection will close. */
  told = 0;
  slowestMs = 0;
  /** Number of clients that keep a connection. */
  connected = 0;
  readonly causes = new Set<string>();
  readonly #port: number;
  /** Whether a server is always up, so that clients reconnect immediately. */
  readonly #isProxied: boolean;
  readonly #all: Promise<unknown>;
  #isOver = false;
  #next = Promise.withResolvers<void>();

  constructor(port: number, isProxied: boolean) {
    this.#port = port;
    this.#isProxied = isProxied;
    this.#all = Promise.all(Array.from({ length: CLIENTS }, (_, i) => this.#run(i)));
  }

  /** Reports that a server is up again. */
  restarted(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Closes all clients. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.restarted();
    await this.#all;
  }

  async #run(client: number): Promise<void> {
    const pick = random(SEED + client);
    let connection: Deno.TcpConn | null = null;
    for (let n = 0; !this.#isOver; n++) {
      const body = JSON.stringify({ client, n });
      const next = this.#next.promise;
      const began = performance.now();
      this.sent++;
      const isKept = connection !== null;
      let text = "";
      try {
        const request = [
          "POST /echo HTTP/1.1",
          "Host: x",
          "Content-Type: application/json",
          `Content-Length: ${body.length}`,
          "",
          body,
        ].join("\r\n");
        if (connection === null) connection = await opened({ port: this.#port }, request);
        else await writeText(connection, request);
        text = await readUntil(connection, "\r\n\r\n");
        if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(text.slice(0, text.indexOf("\r\n")));
        if (!text.includes(body)) text += await readUntil(connection, body);
      } catch (error) {
        this.lost++;
        this.causes.add(String(error));
      }
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
      if (!isKept && connection !== null) this.connected++;
      if (text === "" || /^connection: *close/im.test(text)) {
        if (connection !== null) this.connected--;
        connection?.close();
        connection = null;
        if (text !== "") this.told++;
        // a client that loses its connection uses a different server until this one is back
        if (text !== "" && !this.#isProxied) await next;
      }
      await new Promise((resolve) => setTimeout(resolve, pick(MOST_PAUSE_MS)));
    }
    connection?.close();
  }
}
